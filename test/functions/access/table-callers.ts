import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'
import { libraries, type Row } from './access-table.ts'

const rejectedKeys = [
  'a revoked key',
  'an expired key',
  'an unknown key',
  'a malformed key',
  'an expired license',
  'a revoked license',
]
/** `reader` is a key of the owner with the scope `read`. */
export const callers = ['nobody', 'stranger', 'owner', 'reader', 'online', 'offline', ...rejectedKeys]

export type TableCallers = {
  hosted: TestHosted
  /** Sends a row to `url`, the API itself unless given. */
  send(row: Row, caller: string, url?: string): Promise<Response>
}

/** A hosted half with the libraries of the table, and its callers with their keys. */
export async function tableCallers(): Promise<TableCallers> {
  const hosted = await testHosted()
  const owner = await hosted.keyOf('Acme')
  const page = { 'README.md': '# Guide\n\nTurn the lever.\n', 'carrel.json': '{"previousVersions":[{"tag":"v1"}]}' }
  for (const id of [libraries.public, libraries.private, '/new/stranger', '/new/owner'])
    await hosted.git.create(id.slice(1), { files: page, tags: ['v1'] })
  const served = { state: 'finalized', error: null }
  expect(await hosted.add(libraries.public.slice(1), { teamspace: 'Acme' })).toMatchObject(served)
  expect(await hosted.add(libraries.private.slice(1), { teamspace: 'Acme', private: true })).toMatchObject(served)
  const revoked = await hosted.keyOf('Acme')
  await hosted.run('revokeKey', { id: revoked.id })
  const { teamspaces } = hosted.hosted
  const { id = '' } = (await teamspaces.find('Acme')) ?? {}
  const reader = await teamspaces.createKey(id, { createdBy: 'test', scope: 'read' })
  const expired = await teamspaces.createKey(id, { createdBy: 'test', expiresAt: '2020-01-01T00:00:00.000Z' })
  const ended = await issue(hosted, { id: 'ended' })
  await hosted.run('revokeLicense', { id: 'ended' })
  const keys: Record<string, string | undefined> = {
    stranger: (await hosted.keyOf('Strangers')).key,
    owner: owner.key,
    online: await issue(hosted, { kind: 'online' }),
    offline: await issue(hosted, { kind: 'offline' }),
    reader: reader.key,
    'a revoked key': revoked.key,
    'an expired key': expired.key,
    'an unknown key': `${owner.key.slice(0, -1)}${owner.key.endsWith('0') ? '1' : '0'}`,
    'a malformed key': 'carrel_sk_',
    'an expired license': await issue(hosted, { expiresAt: '2020-01-01T00:00:00.000Z' }),
    'a revoked license': ended,
  }
  return {
    hosted,
    send({ method, path, body }, caller, url = hosted.url) {
      const key = keys[caller]
      const text = JSON.stringify(body)?.replace('{git}', hosted.git.url).replace('{caller}', caller)
      return fetch(url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(text === undefined ? {} : { body: text }),
      })
    },
  }
}

/** A license of the teamspace that owns the libraries: it opens none that is private. */
async function issue(hosted: TestHosted, more: Partial<License>): Promise<string> {
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const license: License = { id: randomUUID(), customer: 'Acme', kind: 'online', teamspace: 'Acme', expiresAt, ...more }
  await hosted.run('recordLicense', license)
  return signLicense(license, developmentPair(hosted.dataDir, 'license').privatePem)
}

/** The status and the error code of a response; of an MCP tool, whether it found the library. */
export async function answerOf(response: Response, { route }: Row): Promise<string> {
  const text = await response.text()
  const code = /"error":(?:"(\w+)"|\{"code":(-\d+))/.exec(text)
  const isTool = response.ok && !route.includes(' ')
  const found = isTool ? (/library ID: |Turn the lever|^data: .*Pages of /m.test(text) ? 'found' : 'not found') : undefined
  return [response.status, code?.[1] ?? code?.[2] ?? found].filter((part) => part !== undefined).join(' ')
}

/** A refresh is rejected while another one runs. */
export const jobEnded = (hosted: TestHosted, library: string) =>
  expect.poll(() => hosted.run('progress', { library })).toMatchObject({ active: false })

export const expected = ({ route, answers: { rejected, ...answers } }: Row): Record<string, string> => ({
  ...answers,
  reader: /^(POST \/api\/v\d\/(add|refresh)|PATCH )/.test(route) ? '403 forbidden' : answers.owner,
  ...Object.fromEntries(rejectedKeys.map((key) => [key, rejected])),
})
