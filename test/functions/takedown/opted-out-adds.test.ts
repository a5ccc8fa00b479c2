import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

let hosted: TestHosted
let key: string
const readme = { 'README.md': '# Guide\n\nTurn the lever.\n' }
const line = (value: boolean) => JSON.stringify({ disallowIndexing: value })

beforeAll(async () => {
  hosted = await testHosted()
  key = (await hosted.keyOf('Acme')).key
})
afterAll(() => hosted.close())

async function add(repo: string): Promise<unknown[]> {
  const body = { docsRepoUrl: `${hosted.git.url}/${repo}` }
  const answer = await hosted.post('/api/v2/add/repo/github', body, { authorization: `Bearer ${key}` })
  return [answer.status, ((await answer.json()) as { message: string }).message]
}

test('a library whose project file disallows indexing is not added, until the line is gone', async () => {
  await hosted.git.create('wish/add', { files: { ...readme, 'carrel.json': line(true) } })
  const refused = [403, '/wish/add cannot be added: the project file of its default branch says "disallowIndexing": true.']
  expect(await add('wish/add')).toEqual(refused)
  expect(await hosted.hosted.catalog.record({ owner: 'wish', repo: 'add' })).toBeUndefined()
  await hosted.git.commit('wish/add', { files: { 'carrel.json': line(false) } })
  expect(await add('wish/add')).toMatchObject([200, {}])
})

test('a private library of a teamspace is added, whatever its project file says', async () => {
  await hosted.git.create('wish/private', { files: { ...readme, 'carrel.json': line(true) } })
  expect(await hosted.add('wish/private', { private: true, teamspace: 'Acme' })).toMatchObject({ state: 'finalized' })
})

test('a library that the operator took down is not added again until that is lifted', async () => {
  await hosted.git.create('down/lib', { files: readme })
  await hosted.add('down/lib')
  await hosted.run('optOut', { library: '/down/lib', reason: 'A letter.' })
  expect(await hosted.hosted.catalog.record({ owner: 'down', repo: 'lib' })).toBeUndefined()
  expect(await add('down/lib')).toEqual([403, '/down/lib cannot be added: the operator of this service does not allow it.'])
  expect(await hosted.run('listOptOuts', {})).toMatchObject([{ library: '/down/lib', by: 'operator', reason: 'A letter.' }])
  expect(await hosted.run('liftOptOut', { library: '/down/lib' })).toEqual({ lifted: true })
  expect(await add('down/lib')).toMatchObject([200, {}])
})

test('a library that was taken down by the longer id of its repository is removed, and not added again until that is lifted', async () => {
  await hosted.git.create('long/lib', { files: readme })
  await hosted.add('long/lib')
  expect(await hosted.run('optOut', { library: '/github/long~lib' })).toEqual({ removed: true })
  expect(await hosted.hosted.catalog.record({ owner: 'long', repo: 'lib' })).toBeUndefined()
  expect(await add('long/lib')).toEqual([403, '/long/lib cannot be added: the operator of this service does not allow it.'])
  expect(await hosted.run('liftOptOut', { library: '/github/long~lib' })).toEqual({ lifted: true })
  expect(await add('long/lib')).toMatchObject([200, {}])
})

test('a repository that nobody has added is opted out by its longer id, too', async () => {
  await hosted.git.create('long/new', { files: readme })
  expect(await hosted.run('optOut', { library: '/github/long~new' })).toEqual({ removed: false })
  expect(await add('long/new')).toEqual([403, '/long/new cannot be added: the operator of this service does not allow it.'])
  expect(await hosted.run('liftOptOut', { library: '/github/long~new' })).toEqual({ lifted: true })
  expect(await add('long/new')).toMatchObject([200, {}])
})

test('lifting the opt-out of a repository keeps that of another host or source with the same name', async () => {
  await hosted.git.create('same/kit', { files: readme })
  await hosted.add('same/kit')
  await hosted.run('optOut', { library: '/same/kit' })
  for (const library of ['/gitlab/same~kit', '/websites/same~kit'])
    expect(await hosted.run('liftOptOut', { library })).toEqual({ lifted: false })
  expect(await add('same/kit')).toMatchObject([403, {}])
  expect(await hosted.run('liftOptOut', { library: '/github/same~kit' })).toEqual({ lifted: true })
  expect(await add('same/kit')).toMatchObject([200, {}])
})

test('the short id lifts an opt-out by the longer one, and either id lifts both', async () => {
  await hosted.git.create('both/lib', { files: readme })
  await hosted.run('optOut', { library: '/github/both~lib' })
  expect(await hosted.run('liftOptOut', { library: '/both/lib' })).toEqual({ lifted: true })
  expect(await add('both/lib')).toMatchObject([200, {}])
  for (const lifted of ['/both/lib', '/github/both~lib']) {
    await hosted.hosted.optOuts.add('/both/lib', { library: '/both/lib', by: 'operator' })
    await hosted.hosted.optOuts.add('/github/both~lib', { library: '/github/both~lib', by: 'operator' })
    expect(await hosted.run('liftOptOut', { library: lifted })).toEqual({ lifted: true })
    expect(await hosted.run('listOptOuts', {})).toEqual([])
  }
})

test('an opt-out of another host is lifted by the longer id of that host only', async () => {
  const optOut = { library: '/lab/kit', by: 'operator' as const, sourceUrl: 'https://gitlab.com/lab/kit' }
  await hosted.hosted.optOuts.add('/lab/kit', optOut)
  expect(await hosted.run('liftOptOut', { library: '/github/lab~kit' })).toEqual({ lifted: false })
  expect(await hosted.run('liftOptOut', { library: '/gitlab/lab~kit' })).toEqual({ lifted: true })
})
