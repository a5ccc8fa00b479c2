import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Hosted } from '../../../functions/hosted.ts'
import { createServer } from '../../../functions/server.ts'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let service: TestHosted

beforeAll(async () => {
  service = await testHosted()
  await service.git.create('acme/widgets', { files: { 'README.md': '# Widgets\n\nTurn the lever.\n' } })
  await service.add('acme/widgets')
})
afterAll(() => service.close())

const [old, newest] = [makeKeyPair(), makeKeyPair()]
const expiresAt = '2099-01-01T00:00:00.000Z'
const licenseOf = (id: string, kind: 'online' | 'offline', { privatePem } = old) =>
  signLicense({ id, customer: 'Example', kind, expiresAt }, privatePem)

/** A stage behind a Router. The first request that reads the catalog waits there for `resume`. */
function pausedStage() {
  const { hosted } = service
  const [reading, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  const pause = async () => {
    if (reads++ > 0) return
    reading.resolve()
    await resumed.promise
  }
  const secrets = { pems: [old.publicPem], origin: ['old'] }
  const ports: Hosted = {
    ...hosted,
    loopback: false,
    names: { listed: () => pause().then(() => hosted.names.listed()) },
    catalog: { ...hosted.catalog, exportable: (id) => pause().then(() => hosted.catalog.exportable(id)) },
    publicPems: async () => secrets.pems,
  }
  const begin = beginOn(ports, secrets)
  return {
    secrets,
    begin,
    resume: resumed.resolve,
    /** Begins the first request, and waits until it reads the catalog. */
    async beginFirst(request: Request, bearer: string) {
      const running = begin(request, bearer)
      await Promise.race([reading.promise, running])
      return { running }
    },
  }
}

type Request = { path: string; body?: unknown }

/** Begins a request to a process that has the secrets of this moment. */
const beginOn =
  (ports: Hosted, secrets: { origin: string[] }) =>
  async ({ path, body }: Request, bearer: string, origin = 'old') => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      'x-origin-secret': origin,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const request = { headers, ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }) }
    const response = await createServer({ ...ports, originSecrets: [...secrets.origin] }).request(path, request)
    return { status: response.status, hasLibrary: (await response.text()).includes('acme/widgets') }
  }

const call = { name: 'resolve-library-id', arguments: { query: 'levers', libraryName: 'widgets' } }
const search: Request = { path: '/api/v2/libs/search?libraryName=widgets' }
const mcp: Request = { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } }
const exporting: Request = { path: '/api/v1/enterprise/export', body: { library: 'acme/widgets' } }
const requests = { search, mcp, exporting }

const served = { status: 200, hasLibrary: true }
const rejected = { status: 401, hasLibrary: false }

test.each([
  ['search', 'online'],
  ['mcp', 'online'],
  ['exporting', 'offline'],
] as const)(
  'a request (%s) that runs while the license key is replaced is answered, the next needs a new license',
  async (name, kind) => {
    const { secrets, beginFirst, resume, begin } = pausedStage()
    const { running } = await beginFirst(requests[name], await licenseOf('l', kind))
    secrets.pems = [newest.publicPem]
    expect(await begin(requests[name], await licenseOf('l', kind))).toEqual(rejected)
    const renewed = begin(requests[name], await licenseOf('l', kind, newest))
    resume()
    expect(await Promise.all([running, renewed])).toEqual([served, served])
  },
)

test.each(['search', 'mcp'] as const)(
  'a request (%s) that runs while its key is revoked is answered, the next is rejected',
  async (name) => {
    const { beginFirst, resume, begin } = pausedStage()
    const { key, id } = await service.keyOf('Acme')
    const { running } = await beginFirst(requests[name], key)
    await service.hosted.teamspaces.revokeKey(id)
    expect(await begin(requests[name], key)).toEqual(rejected)
    resume()
    expect(await running).toEqual(served)
  },
)

test('an export that runs while its license is revoked is answered, the next is rejected', async () => {
  const { beginFirst, resume, begin } = pausedStage()
  const license = await licenseOf('revoked', 'offline')
  const { running } = await beginFirst(exporting, license)
  await service.hosted.licenses.revoke('revoked')
  expect(await begin(exporting, license)).toEqual(rejected)
  resume()
  expect(await running).toEqual(served)
})

test.each(['search', 'mcp', 'exporting'] as const)(
  'a request (%s) that runs while the secret of the Router is replaced is answered, the next needs the new one',
  async (name) => {
    const { secrets, beginFirst, resume, begin } = pausedStage()
    const license = await licenseOf('l', name === 'exporting' ? 'offline' : 'online')
    const { running } = await beginFirst(requests[name], license)
    secrets.origin = ['new']
    expect(await begin(requests[name], license)).toEqual({ status: 403, hasLibrary: false })
    const renewed = begin(requests[name], license, 'new')
    resume()
    expect(await Promise.all([running, renewed])).toEqual([served, served])
  },
)
