import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '../../../functions/server.ts'
import { developmentPair } from '../../../shared/keys/development-pair.ts'
import { type License, signLicense } from '../../../shared/keys/license.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'
import { libraries, type Row, rows, unrouted } from './access-table.ts'

const rejectedKeys = [
  'a revoked key',
  'an expired key',
  'an unknown key',
  'a malformed key',
  'an expired license',
  'a revoked license',
]
/** `reader` is a key of the owner with the scope `read`. */
const callers = ['nobody', 'stranger', 'owner', 'reader', 'online', 'offline', ...rejectedKeys]

let hosted: TestHosted
let keys: Record<string, string | undefined>

beforeAll(async () => {
  hosted = await testHosted()
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
  const ended = await issue({ id: 'ended' })
  await hosted.run('revokeLicense', { id: 'ended' })
  keys = {
    stranger: (await hosted.keyOf('Strangers')).key,
    owner: owner.key,
    online: await issue({ kind: 'online' }),
    offline: await issue({ kind: 'offline' }),
    reader: reader.key,
    'a revoked key': revoked.key,
    'an expired key': expired.key,
    'an unknown key': `${owner.key.slice(0, -1)}${owner.key.endsWith('0') ? '1' : '0'}`,
    'a malformed key': 'carrel_sk_',
    'an expired license': await issue({ expiresAt: '2020-01-01T00:00:00.000Z' }),
    'a revoked license': ended,
  }
})
afterAll(() => hosted.close())

/** A license of the teamspace that owns the libraries: it opens none that is private. */
async function issue(more: Partial<License>): Promise<string> {
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const license: License = { id: randomUUID(), customer: 'Acme', kind: 'online', teamspace: 'Acme', expiresAt, ...more }
  await hosted.run('recordLicense', license)
  return signLicense(license, developmentPair(hosted.dataDir, 'license').privatePem)
}

function send({ method, path, body }: Row, caller: string): Promise<Response> {
  const key = keys[caller]
  const text = JSON.stringify(body)?.replace('{git}', hosted.git.url).replace('{caller}', caller)
  return fetch(hosted.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(text === undefined ? {} : { body: text }),
  })
}

/** The status and the error code of a response; of an MCP tool, whether it found the library. */
async function answerOf(response: Response, { route }: Row): Promise<string> {
  const text = await response.text()
  const code = /"error":(?:"(\w+)"|\{"code":(-\d+))/.exec(text)
  const isTool = response.ok && !route.includes(' ')
  const found = isTool ? (/library ID: |Turn the lever|^data: .*Pages of /m.test(text) ? 'found' : 'not found') : undefined
  return [response.status, code?.[1] ?? code?.[2] ?? found].filter((part) => part !== undefined).join(' ')
}

async function answersTo(row: Row): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const caller of callers) {
    const response = await send(row, caller)
    await hosted.answers.check(row.method, row.path, response)
    if (!isPublicPage(row) || !response.ok) expect(response.headers.get('cache-control'), caller).toBe('private, no-store')
    expect(response.headers.get('www-authenticate'), caller).toBe(response.status === 401 ? 'Bearer realm="carrel"' : null)
    answers[caller] = await answerOf(response, row)
    if (row.path.endsWith('/refresh')) await Promise.all(Object.values(libraries).map(jobEnded))
  }
  return answers
}

/** A refresh is rejected while another one runs. */
const jobEnded = (library: string) => expect.poll(() => hosted.run('progress', { library })).toMatchObject({ active: false })

const expected = ({ route, answers: { rejected, ...answers } }: Row): Record<string, string> => ({
  ...answers,
  reader: /^(POST \/api\/v\d\/(add|refresh)|PATCH )/.test(route) ? '403 forbidden' : answers.owner,
  ...Object.fromEntries(rejectedKeys.map((key) => [key, rejected])),
})

describe('a route', () => {
  test.each(rows)('responds to each caller as the table defines: $route ($what)', async (row) => {
    expect(await answersTo(row)).toEqual(expected(row))
  })
})

describe('a HEAD request', () => {
  test.each(rows.filter(({ method, path }) => method === 'GET' && path !== '/mcp'))(
    'gets the status of GET and no body: $route ($what)',
    async (row) => {
      for (const caller of callers) {
        const [head, get] = [await send({ ...row, method: 'HEAD' }, caller), await send(row, caller)]
        expect([head.status, await head.text()], caller).toEqual([get.status, ''])
      }
    },
  )
})

/** A page that is the same for everybody, so that caches may share it. */
const isPublicPage = ({ path }: Row) => !/^\/(api\/|mcp$)/.test(path)

test.each(unrouted)('the path $method $path is no route: $what', async (row) => {
  expect(await answersTo(row)).toEqual(expected(row))
})

test('the table has every route of the server and every MCP tool', async () => {
  const routes = createServer(hosted.hosted)
    .routes.filter(({ method, path }) => method !== 'ALL' || path === '/mcp')
    .map(({ method, path }) => `${method} ${path}`)
  const list = await send(
    { method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } as Row,
    'nobody',
  )
  const tools = [...(await list.text()).matchAll(/"name":"([\w-]+)"/g)].map(([, name]) => name)
  expect(tools).not.toEqual([])
  expect([...new Set([...routes, ...tools])].sort()).toEqual([...new Set(rows.map(({ route }) => route))].sort())
})
