import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema } from '../../onprem/declared/manifest.ts'
import { testDashboard } from '../fixtures/test-dashboard.ts'
import { testHosted } from '../fixtures/test-hosted.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { apiPage, type OpenapiDocument } from './api-page.ts'
import { withConfigurationTables } from './configuration-tables.ts'
import { scalePage } from './scale/scale-page.ts'

const root = new URL('../..', import.meta.url).pathname

/** The files in `docs/` that the code determines, by their path: the OpenAPI documents, the API pages, the schema of carrel.yaml, the configuration page, the page of costs. */
export async function referenceFiles(): Promise<Record<string, string>> {
  const install = await testInstall()
  const hosted = await testHosted()
  const dashboard = await testDashboard()
  try {
    const [ofInstall, ofHosted, ofDashboard] = [await served(install.url), await served(hosted.url), await served(dashboard.url)]
    const configuration = 'docs/configuration.md'
    return {
      'docs/openapi-onprem.json': asJson(ofInstall),
      'docs/openapi-hosted.json': asJson(ofHosted),
      'docs/openapi-dashboard.json': asJson(ofDashboard),
      'docs/carrel.schema.json': asJson(manifestSchema()),
      'docs/api-onprem.md': apiPage(ofInstall, onpremPage),
      'docs/api-hosted.md': apiPage(ofHosted, hostedPage),
      'docs/api-dashboard.md': apiPage(ofDashboard, dashboardPage),
      'docs/scale.md': scalePage(),
      [configuration]: withConfigurationTables(readFileSync(join(root, configuration), 'utf8')),
    }
  } finally {
    await install.close()
    await hosted.close()
    await dashboard.close()
  }
}

const key = 'A key goes into the header `Authorization: Bearer KEY`.'

const onpremPage = {
  title: 'API of an install',
  document: 'openapi-onprem.json',
  credential: key,
  callers: {
    read: 'everyone; while `permissions.requireMcpAuth` is on, members and admins',
    parse: 'members and admins; while `permissions.anonymousParse` is on, everyone',
    refresh: 'members and admins; while `permissions.anonymousRefresh` is on, everyone',
    delete: 'admins; while `permissions.anonymousDelete` is on, everyone',
    supportBundle: 'admins; while `permissions.anonymousSupportBundle` is on and `permissions.hidePrivate` off, everyone',
    member: 'members and admins',
    change: 'members and admins, not with a key that only reads',
    admin: 'admins',
  },
}

const hostedPage = {
  title: 'API of the hosted half',
  document: 'openapi-hosted.json',
  credential: key,
  callers: {
    anybody: 'everyone; a key that is sent must be valid',
    teamspace: 'the key of a teamspace',
    key: 'the key of a teamspace, or a license',
    'offline license': 'an offline license',
  },
}

const dashboardPage = {
  title: 'API of the dashboard',
  document: 'openapi-dashboard.json',
  credential: 'Requests have the cookie of a session, and changes the header Origin of the dashboard. No key is accepted.',
  callers: {
    'signed in': 'everyone who is signed in',
    developer: 'members of the teamspace',
    admin: 'admins and owners of the teamspace',
    owner: 'owners of the teamspace',
  },
}

async function served(url: string): Promise<OpenapiDocument> {
  const response = await fetch(`${url}/api/openapi.json`)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as OpenapiDocument
}

const asJson = (document: OpenapiDocument | Record<string, unknown>): string => `${JSON.stringify(document, null, 2)}\n`
