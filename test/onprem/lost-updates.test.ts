import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { page } from '../fixtures/page.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'

let app: TestInstall
let userPath: string
beforeAll(async () => {
  app = await testInstall()
  await app.git.create('acme/docs', { files: { 'README.md': page('Guide', 'The lever turns.') }, tags: ['v1.0.0'] })
  await app.parse('acme/docs')
  userPath = `/api/users/${await userNamed('mia')}`
})
afterAll(() => app.close())

async function userNamed(username: string): Promise<string> {
  const { body } = await app.call('POST', '/api/users', { username, password: 'correct horse battery', role: 'member' })
  return String(body.id)
}
const etagOf = async (path: string): Promise<string> =>
  (await app.ask(path, { key: app.keys.admin })).headers.get('etag') ?? 'no ETag'

/** Sends a change that is based on the state with this ETag. */
async function send(method: string, path: string, etag: string | undefined, body?: unknown) {
  const headers = { 'content-type': 'application/json', ...(etag !== undefined && { 'if-match': etag }) }
  const init = { method, key: app.keys.admin, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  const answer = await app.ask(path, init)
  return { status: answer.status, etag: answer.headers.get('etag'), body: (await answer.json()) as Record<string, unknown> }
}

const states = [
  {
    of: 'a change of the settings',
    read: '/api/settings',
    path: () => '/api/settings',
    first: { 'llm.model': 'one', 'storage.minFreeMb': 500 },
    second: { 'llm.model': 'two' },
    other: { 'github.baseUrl': 'https://git.example.com' },
    names: ['llm.model', 'storage.minFreeMb'],
  },
  {
    of: 'a change of the policy',
    read: '/api/v2/policies',
    path: () => '/api/v2/policies',
    first: { sourceTypes: { disable: ['websites'] }, libraryFilters: { mode: 'select' } },
    second: { libraryFilters: { mode: 'quality' } },
    other: { libraryFilters: { quality: { minTrustScore: 7 } } },
    names: ['sourceTypes.websites.enabled', 'libraryFilters.mode'],
  },
  {
    of: 'a change of the source settings',
    read: '/api/projects/acme/docs/source',
    path: () => '/api/projects/acme/docs/source',
    first: { folders: ['docs'], versions: ['v1.0.0'] },
    second: { folders: ['guide'] },
    other: { branch: 'main' },
    names: ['versions', 'folders'],
  },
  {
    of: 'a change of a user',
    read: '/api/users',
    path: () => userPath,
    first: { role: 'admin', username: 'mia2' },
    second: { role: 'admin', disabled: true },
    other: { disabled: true },
    names: ['username', 'role'],
  },
]

describe.each(states)('$of', ({ read, path, first, second, other, names }) => {
  test('is rejected with the names of what another client has changed meanwhile', async () => {
    const [etag, same] = [await etagOf(read), await etagOf(read)]
    expect([etag, etag.length > 5]).toEqual([same, true])
    expect((await send('PATCH', path(), etag, first)).status).toBe(200)
    const stored = (await app.call('GET', read)).body

    for (const change of [second, other]) {
      expect(await send('PATCH', path(), etag, change)).toEqual({
        status: 412,
        etag: null,
        body: {
          error: 'precondition_failed',
          message: `${names.join(', ')} changed since this state was read. Read it again, then repeat the change if it is still wanted.`,
          names,
          etag: await etagOf(read),
        },
      })
      expect((await app.call('GET', read)).body).toEqual(stored)
    }
  })

  test('is made with the ETag that was read again, and without one', async () => {
    expect((await send('PATCH', path(), await etagOf(read), second)).status).toBe(200)
    expect((await send('PATCH', path(), undefined, other)).status).toBe(200)
  })
})

test('a change returns the ETag that a read returns then', async () => {
  for (const { read, path, second } of states.slice(0, 3)) {
    const { status, etag } = await send('PATCH', path(), `W/${await etagOf(read)}`, second)
    expect([status, etag]).toEqual([200, await etagOf(read)])
  }
})

test('a user who changed meanwhile is not deleted, and a change of another user is no reason', async () => {
  const etag = await etagOf('/api/users')
  await send('PATCH', userPath, undefined, { role: 'member' })
  const others = await userNamed('leo')
  expect(await send('DELETE', userPath, etag)).toMatchObject({ status: 412, body: { names: ['role'] } })
  const now = await etagOf('/api/users')
  await send('PATCH', `/api/users/${others}`, undefined, { role: 'admin' })
  expect((await send('DELETE', userPath, now)).status).toBe(200)
})

test('any of several ETags, or a star, is enough', async () => {
  const etag = await etagOf('/api/settings')
  for (const tags of ['*', `"0000", ${etag}`]) {
    expect((await send('PATCH', '/api/settings', tags, { 'llm.model': 'one' })).status).toBe(200)
    await send('PATCH', '/api/settings', undefined, { 'llm.model': 'two' })
  }
  expect((await send('PATCH', '/api/settings', '"0000"', { 'llm.model': 'one' })).status).toBe(412)
})

test('the ETag of many users stays short', async () => {
  const hash = await app.app.passwords.hash('correct horse battery')
  for (let n = 0; n < 200; n++) app.app.users.create({ username: `user${n}`, role: 'member', hash })
  const etag = await etagOf('/api/users')
  expect(etag.length).toBeLessThan(2_000)
  const id = app.app.users.list().find(({ username }) => username === 'user7')?.id
  expect((await send('PATCH', `/api/users/${id}`, etag, { role: 'admin' })).status).toBe(200)
  expect(await send('PATCH', `/api/users/${id}`, etag, { role: 'member' })).toMatchObject({
    status: 412,
    body: { names: ['username', 'role', 'disabled'] },
  })
})
