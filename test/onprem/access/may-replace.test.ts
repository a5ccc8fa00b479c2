import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { head } from '../../fixtures/bundle.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
const keys: Record<'ada' | 'adas other' | 'bob' | 'install', string> = { ada: '', 'adas other': '', bob: '', install: '' }

beforeAll(async () => {
  install = await testInstall()
  install.app.settings.change({ 'github.token': 'sesame' })
  const userId = async (username: string) => {
    const body = { username, password: `the long password of ${username}`, role: 'member' }
    return String((await install.call('POST', '/api/users', body)).body.id)
  }
  const keyOf = (name: string, id: string) => install.app.keys.create({ name, role: 'member', userId: id }).key
  const [ada, bob] = [await userId('ada'), await userId('bob')]
  Object.assign(keys, { ada: keyOf('one', ada), 'adas other': keyOf('two', ada), bob: keyOf('three', bob) })
  keys.install = install.keys.member
}, 60_000)
afterAll(() => install.close())

const files = {
  'README.md': page('Guide', 'The lever turns.'),
  'docs/one.md': page('One', 'The pulley turns.', 'The wheel turns.'),
  'more/two.md': page('Two', 'The crank turns.', 'The gear turns.'),
}
const idOf = (name: string) => {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}
const send = (key: string, method: string, path: string, body?: unknown) =>
  install.json(path, { method, key, ...(body !== undefined && { body }) }) as Promise<{
    status: number
    body: Record<string, unknown>
  }>
const parse = (key: string, name: string, more: object = {}) =>
  send(key, 'POST', '/api/parse', { repoUrl: `${install.git.url}/${name}`, ...more })
const ended = async ({ body }: { body: Record<string, unknown> }) => install.ended(Number(body.queueId))
const snippets = (name: string) => install.app.catalog.find(idOf(name))?.totalSnippets
const element = (libraryId: string) => ({
  ...head({ project: libraryId, title: 'Bundle' }),
  ...snippetsOf('The lever is imported.'),
})
const importOf = (key: string, ...libraryIds: string[]) =>
  send(key, 'POST', '/api/import-libraries', { libraries: libraryIds.map(element), force: true })
const idle = () => expect.poll(() => install.app.jobs.active(), { timeout: 60_000 }).toEqual([])

/** Parses a library as the holder of a key. */
async function added(key: string, name: string, more: object = {}): Promise<void> {
  await install.git.create(name, { files, tags: ['v1'], ...more })
  expect((await ended(await parse(key, name, { excludeFolders: ['none', 'more'] }))).state).toBe('done')
}

/** The changes with which a caller could empty a library. */
const changes: [string, (key: string, name: string) => Promise<{ status: number }>][] = [
  ['parse it with force', (key, name) => parse(key, name, { force: true })],
  ['parse it with other folders', (key, name) => parse(key, name, { folders: ['docs'] })],
  ['parse it with a folder in the address', (key, name) => parse(key, `${name}/tree/main/docs`)],
  ['parse it with other exclusions', (key, name) => parse(key, name, { excludeFiles: ['one.md'] })],
  ['parse it with another version', (key, name) => parse(key, name, { versions: ['v1'] })],
  ['refresh another branch', (key, name) => send(key, 'POST', '/api/v1/refresh', { libraryName: `/${name}`, branch: 'v1' })],
  ['change its source settings', (key, name) => send(key, 'PATCH', `/api/projects/${name}/source`, { folders: ['docs'] })],
]

test.each(changes)('a member cannot %s if somebody else has added the library', async (what, change) => {
  const name = `others/${what.replaceAll(' ', '-')}`
  await added(install.keys.admin, name)
  const before = snippets(name)
  for (const key of [keys.bob, keys.install])
    expect(await change(key, name)).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: expect.stringContaining('an admin can') },
    })
  expect(install.app.jobs.active()).toEqual([])
  expect([snippets(name), install.app.catalog.settings(idOf(name)).excludeFolders]).toEqual([before, ['none', 'more']])
})

test('the user who added a library changes it with any key, as an admin does', async () => {
  await added(keys.ada, 'own/library')
  expect((await ended(await parse(keys['adas other'], 'own/library', { folders: ['docs'] }))).state).toBe('done')
  expect((await parse(keys.bob, 'own/library', { force: true })).status).toBe(403)
  expect((await send(keys.ada, 'PATCH', '/api/projects/own/library/source', { folders: null })).status).toBe(200)
  expect((await ended(await parse(install.keys.admin, 'own/library', { force: true }))).state).toBe('done')
  expect((await send(keys.ada, 'PATCH', '/api/projects/own/library/source', { folders: ['more'] })).status).toBe(200)
})

test('a key of the install changes the libraries that it added', async () => {
  await added(keys.install, 'install/key')
  expect((await ended(await parse(keys.install, 'install/key', { force: true }))).state).toBe('done')
  expect((await parse(keys.bob, 'install/key', { force: true })).status).toBe(403)
})

test('a library without an owner belongs to admins', async () => {
  await added(keys.ada, 'without/owner')
  install.app.owners.forget(idOf('without/owner'))
  expect((await parse(keys.ada, 'without/owner', { force: true })).status).toBe(403)
  expect((await ended(await parse(install.keys.admin, 'without/owner', { force: true }))).state).toBe('done')
})

test('a plain parse by another member is a refresh with the settings of the library', async () => {
  await added(install.keys.admin, 'plain/parse')
  const before = snippets('plain/parse')
  const answer = await parse(keys.bob, 'plain/parse')
  expect(answer).toMatchObject({ status: 202, body: { message: 'Refresh queued' } })
  await ended(answer)
  expect([snippets('plain/parse'), install.app.catalog.settings(idOf('plain/parse')).excludeFolders]).toEqual([
    before,
    ['none', 'more'],
  ])
})

test('a forced import by another member skips parsed libraries with the reason and replaces imported ones', async () => {
  await added(install.keys.admin, 'import/parsed')
  await importOf(install.keys.admin, '/import/imported')
  await idle()
  const before = snippets('import/parsed')
  const { status, body } = await importOf(keys.bob, '/import/parsed', '/import/imported', '/Import/Parsed@v9')
  expect({ status, body }).toMatchObject({
    status: 202,
    body: {
      queued: ['/import/imported', '/Import/Parsed@v9'],
      skipped: [{ project: '/import/parsed', reason: expect.stringContaining('an admin can replace it by an import') }],
    },
  })
  await idle()
  expect(install.app.catalog.find(idOf('import/parsed'))).toMatchObject({ imported: false, totalSnippets: before })
  expect((await importOf(keys.bob, '/import/parsed@v9')).body.queued).toEqual([])
  expect((await importOf(install.keys.admin, '/import/parsed')).body.queued).toEqual(['/import/parsed'])
  await idle()
  expect((await ended(await parse(keys.bob, 'import/parsed', { force: true }))).state).toBe('done')
  expect((await parse(keys.ada, 'import/parsed', { force: true })).status).toBe(403)
})

test('a private version that another member imports does not hide a public library', async () => {
  await added(install.keys.admin, 'import/public')
  const libraries = [{ ...element('/import/public@v9'), private: true }]
  const importAs = (key: string) => send(key, 'POST', '/api/import-libraries', { libraries })
  expect((await importAs(keys.bob)).body).toMatchObject({
    queued: [],
    skipped: [{ project: '/import/public@v9', reason: expect.stringContaining('an admin can make it private by an import') }],
  })
  expect((await importAs(install.keys.admin)).body.queued).toEqual(['/import/public@v9'])
  await idle()
  expect(install.app.catalog.find(idOf('import/public'))?.private).toBe(true)
  const next = [{ ...element('/import/public@v10'), private: true }]
  expect((await send(keys.bob, 'POST', '/api/import-libraries', { libraries: next })).body.queued).toEqual(['/import/public@v10'])
  await idle()
})

test('a job that would replace a library is not retried for another member', async () => {
  await added(install.keys.admin, 'retry/parsed')
  const open = Promise.withResolvers<void>()
  install.git.misbehave('retry/parsed', { kind: 'hold', until: open.promise, held: () => {} })
  const { queueId } = (await parse(install.keys.admin, 'retry/parsed', { folders: ['docs'] })).body
  expect((await send(keys.bob, 'POST', `/api/jobs/${queueId}/cancel`)).status).toBe(202)
  install.git.misbehave('retry/parsed')
  open.resolve()
  expect((await send(keys.bob, 'POST', `/api/jobs/${queueId}/retry`)).status).toBe(403)
  expect((await send(install.keys.admin, 'POST', `/api/jobs/${queueId}/retry`)).status).toBe(202)
  await idle()
})

test('an earlier job that another member retries keeps the settings of the library', async () => {
  await install.git.create('retry/earlier', { files, tags: ['v1'] })
  const open = Promise.withResolvers<void>()
  install.git.misbehave('retry/earlier', { kind: 'hold', until: open.promise, held: () => {} })
  const { queueId } = (await parse(install.keys.admin, 'retry/earlier')).body
  expect((await send(install.keys.admin, 'POST', `/api/jobs/${queueId}/cancel`)).status).toBe(202)
  install.git.misbehave('retry/earlier')
  open.resolve()
  await ended(await parse(install.keys.admin, 'retry/earlier', { excludeFolders: ['more'], versions: ['v1'] }))
  const before = snippets('retry/earlier')
  expect((await ended(await send(keys.bob, 'POST', `/api/jobs/${queueId}/retry`))).state).toBe('done')
  expect([snippets('retry/earlier'), install.app.catalog.settings(idOf('retry/earlier'))]).toMatchObject([
    before,
    { excludeFolders: ['more'], versions: ['v1'] },
  ])
})

test('a private library stays private after any replacement, until an admin makes it public', async () => {
  await added(keys.ada, 'stays/private', { private: '*:sesame' })
  const isPrivate = () => install.app.catalog.find(idOf('stays/private'))?.private
  expect(isPrivate()).toBe(true)
  await importOf(install.keys.admin, '/stays/private')
  await idle()
  expect([install.app.catalog.find(idOf('stays/private'))?.imported, isPrivate()]).toEqual([true, true])
  await install.git.remove('stays/private')
  await install.git.create('stays/private', { files })
  expect((await ended(await parse(keys.ada, 'stays/private', { force: true }))).state).toBe('done')
  expect(isPrivate()).toBe(true)
  const change = (key: string) => send(key, 'PATCH', '/api/projects/stays/private/source', { private: false })
  expect((await change(keys.ada)).status).toBe(403)
  expect(isPrivate()).toBe(true)
  expect((await change(install.keys.admin)).status).toBe(200)
  expect(isPrivate()).toBe(false)
  expect((await ended(await parse(keys.ada, 'stays/private', { force: true }))).state).toBe('done')
  expect(isPrivate()).toBe(false)
})

test('additions, parses, refreshes, cancels, imports and retries are in the audit log with their caller', async () => {
  await added(keys.ada, 'audit/all')
  await ended(await parse(keys.ada, 'audit/all', { force: true }))
  await ended(await send(keys.bob, 'POST', '/api/projects/audit/all/refresh'))
  const open = Promise.withResolvers<void>()
  install.git.misbehave('audit/all', { kind: 'hold', until: open.promise, held: () => {} })
  const running = (await send(keys.bob, 'POST', '/api/projects/audit/all/refresh')).body.queueId
  const waiting = (await importOf(keys.bob, '/audit/waits')).body
  expect(waiting.queued).toEqual(['/audit/waits'])
  await expect.poll(() => install.app.jobs.get(Number(running))?.state, { timeout: 60_000 }).toBe('parsing')
  expect((await send(keys.ada, 'POST', `/api/jobs/${running}/cancel`)).status).toBe(202)
  install.git.misbehave('audit/all')
  open.resolve()
  await send(keys.ada, 'POST', `/api/jobs/${running}/retry`)
  await idle()
  await send(install.keys.admin, 'DELETE', '/api/projects/audit/all')
  const entries = install.app.audit.list(1, 100, { q: 'audit/' }).entries.reverse()
  expect(entries.map(({ actor, action, subject }) => `${actor}: ${action} ${subject}`)).toEqual([
    'ada (key one): library.add /audit/all',
    'ada (key one): library.parse /audit/all',
    'bob (key three): library.refresh /audit/all',
    'bob (key three): library.refresh /audit/all',
    'bob (key three): library.import /audit/waits',
    `ada (key one): job.cancel /audit/all (job ${running})`,
    'ada (key one): library.parse /audit/all',
    'key admin: library.delete /audit/all',
  ])
})

test('no change is made if its audit row cannot be written', async () => {
  await added(install.keys.admin, 'audit/fails')
  const db = new DatabaseSync(join(install.dataDir, 'carrel.db'))
  const before = install.app.jobs.list(1, 1).total
  db.exec("CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'no room'); END")
  try {
    const calls = [
      parse(install.keys.admin, 'audit/fails', { force: true }),
      send(install.keys.admin, 'POST', '/api/projects/audit/fails/refresh'),
      send(install.keys.admin, 'PATCH', '/api/projects/audit/fails/source', { folders: ['docs'] }),
      send(install.keys.admin, 'DELETE', '/api/projects/audit/fails'),
      importOf(install.keys.admin, '/audit/new'),
      send(install.keys.admin, 'PATCH', '/api/settings', { 'permissions.anonymousParse': true }),
      send(install.keys.admin, 'POST', '/api/keys', { name: 'new' }),
      send(install.keys.admin, 'PATCH', '/api/v2/policies', {
        libraryFilters: { quality: { blockedLibraries: { add: ['/a/b'] } } },
      }),
    ]
    for (const { status } of await Promise.all(calls)) expect(status).toBe(500)
  } finally {
    db.exec('DROP TRIGGER no_audit')
    db.close()
  }
  expect(install.app.jobs.list(1, 1).total).toBe(before)
  expect(install.app.catalog.find(idOf('audit/fails'))).toBeDefined()
  expect(install.app.catalog.settings(idOf('audit/fails')).folders).toBeUndefined()
  expect(install.app.settings.get('permissions.anonymousParse')).toBe(false)
  expect(install.app.keys.list().some(({ name }) => name === 'new')).toBe(false)
})

test('a member may delete while anonymous callers may, and the response for the library shows it', async () => {
  await added(install.keys.admin, 'delete/open')
  const mayDelete = async (key: string) => (await send(key, 'GET', '/api/projects/delete/open')).body.mayDelete
  expect([await mayDelete(keys.bob), await mayDelete(install.keys.admin)]).toEqual([false, true])
  install.app.settings.change({ 'permissions.anonymousDelete': true })
  try {
    expect(await mayDelete(keys.bob)).toBe(true)
    expect((await send(keys.bob, 'DELETE', '/api/projects/delete/open')).status).toBe(200)
  } finally {
    install.app.settings.change({ 'permissions.anonymousDelete': null })
  }
})
