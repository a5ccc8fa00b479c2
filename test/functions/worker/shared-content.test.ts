import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sweeper } from '../../../shared/indexing/sweeper.ts'
import { page } from '../../fixtures/page.ts'
import { type TestHosted, testHosted } from '../../fixtures/test-hosted.ts'

// The tests run whole parses, and the machine may be busy.
const tags = ['v1.0.0', 'v1.0.1', 'v1.0.2']
let hosted: TestHosted
let headers: Record<string, string>

beforeAll(async () => {
  hosted = await testHosted()
  headers = { authorization: `Bearer ${(await hosted.keyOf('Acme')).key}` }
})
afterAll(() => hosted.close())

/** A library whose tags name one commit, also the one of its default branch. */
async function addTagged(repo: string): Promise<void> {
  const projectFile = JSON.stringify({ previousVersions: tags.map((tag) => ({ tag })), rules: ['Use levers.'] })
  await hosted.git.create(repo, { files: { 'a.md': page('A', 'A lever turns a wheel.'), 'carrel.json': projectFile }, tags })
  expect(await hosted.add(repo)).toMatchObject({ state: 'finalized' })
}

async function refresh(repo: string): Promise<void> {
  expect((await hosted.post('/api/v1/refresh', { libraryName: `/${repo}` }, headers)).status).toBe(200)
  const isDone = async () =>
    expect(await hosted.run('progress', { library: `/${repo}` })).toMatchObject({ active: false, error: null })
  await vi.waitFor(isDone, { timeout: 60_000, interval: 20 })
}

const record = async (repo: string) => {
  const [owner = '', name = ''] = repo.split('/')
  const found = await hosted.hosted.catalog.whole({ owner, repo: name })
  if (!found) throw new Error(`there is no ${repo}`)
  return found
}
/** The generations by version, '' for the default content. */
const generations = async (repo: string): Promise<Record<string, string>> =>
  Object.fromEntries([...(await record(repo)).versions].map(([version, { generation }]) => [version, generation]))

/** The files on disk after all unserved content is deleted. */
async function stored(): Promise<string[]> {
  const { catalog, snippets, log, now } = hosted.hosted
  await sweeper({ catalog, snippets: { ...snippets, generations: async () => [] }, log, now }, 0)()
  return snippets.generations()
}

async function answer(libraryId: string, query = 'lever wheel'): Promise<string> {
  return (await hosted.get(`/api/v2/context?${new URLSearchParams({ libraryId, query })}`)).text()
}

test('tags of one commit share one generation with the branch, and each is served with its content and rules', async () => {
  const before = new Set(await stored())
  await addTagged('acme/tags')
  const [shared = '', ...others] = new Set(Object.values(await generations('acme/tags')))
  expect(others).toEqual([])
  expect((await stored()).filter((name) => !before.has(name))).toEqual([shared])
  const { versions, library } = await record('acme/tags')
  expect([...versions.values()].map(({ version, ref }) => [version, ref])).toEqual(
    expect.arrayContaining([['', 'main'], ...tags.map((tag) => [tag, tag])]),
  )
  expect(library.versions).toEqual(tags)
  const sizes = [...versions.values()].map(({ snippets, tokens, bundleBytes }) => [snippets, tokens, bundleBytes])
  expect(sizes).toEqual(Array(4).fill(sizes[0]))
  expect(Math.min(...(sizes[0] ?? []))).toBeGreaterThan(0)
  for (const id of ['/acme/tags', ...tags.map((tag) => `/acme/tags@${tag}`)]) {
    const text = await answer(id)
    expect([text.includes('A lever turns a wheel.'), text.includes('Use levers.')], id).toEqual([true, true])
  }
})

test('a refresh of one version leaves the shared generation to the others until they move to another commit', async () => {
  await addTagged('acme/refreshed')
  const { '': shared = '' } = await generations('acme/refreshed')
  await hosted.git.commit('acme/refreshed', { files: { 'a.md': page('A', 'A crank turns a wheel.') }, tags: ['v1.0.1'] })
  await refresh('acme/refreshed')
  const after = await generations('acme/refreshed')
  expect([after['v1.0.0'], after['v1.0.2']]).toEqual([shared, shared])
  expect(after['v1.0.1']).toBe(after[''])
  expect(after['']).not.toBe(shared)
  expect(await stored()).toEqual(expect.arrayContaining([shared, after['']]))
  for (const [version, word] of [
    ['', 'crank'],
    ['@v1.0.0', 'lever'],
    ['@v1.0.1', 'crank'],
    ['@v1.0.2', 'lever'],
  ])
    expect(await answer(`/acme/refreshed${version}`), version).toContain(`A ${word} turns a wheel.`)
  for (const tag of tags) execFileSync('git', ['tag', '--force', tag, 'main'], { cwd: hosted.git.folder('acme/refreshed') })
  await refresh('acme/refreshed')
  expect(new Set(Object.values(await generations('acme/refreshed')))).toEqual(new Set([after['']]))
  const sizes = [...(await record('acme/refreshed')).versions.values()].map(({ bundleBytes }) => bundleBytes)
  expect(sizes).toEqual(Array(4).fill(sizes[0]))
  expect(sizes[0]).toBeGreaterThan(0)
  expect(await stored()).not.toContain(shared)
  expect(await answer('/acme/refreshed@v1.0.2')).toContain('A crank turns a wheel.')
})

test('removing a version keeps the shared generation for the others, and removing the last one retires it', async () => {
  await addTagged('acme/removed')
  const { '': shared = '' } = await generations('acme/removed')
  for (const tag of tags) {
    await hosted.run('remove', { library: `/acme/removed@${tag}` })
    expect((await hosted.get(`/api/v2/context?libraryId=/acme/removed@${tag}&query=lever`)).status).toBe(404)
    expect(await stored()).toContain(shared)
    expect(await answer('/acme/removed')).toContain('A lever turns a wheel.')
  }
  await refresh('acme/removed')
  expect(await generations('acme/removed')).toEqual({ '': shared })
  await hosted.run('remove', { library: '/acme/removed' })
  expect(await stored()).not.toContain(shared)
})
