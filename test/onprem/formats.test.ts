import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseLibraryId } from '../../shared/library.ts'
import type { SnippetRow, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { generationFormat } from '../../shared/store/generation-format.ts'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { rewriteInFormat1 } from '../fixtures/format-1.ts'
import { page } from '../fixtures/page.ts'
import { aiOf, type TestEmbedder, testEmbedder } from '../fixtures/test-embedder.ts'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let first: TestInstall
let again: TestInstall | undefined
let embedder: TestEmbedder | undefined

beforeEach(async () => {
  embedder = undefined
  first = await testInstall({ openAi: () => aiOf(() => embedder, []) })
  await first.git.create('acme/docs', { files: { 'a.md': page('A', ...sections(0, 20)) }, tags: ['v1.0.0'] })
})
afterEach(async () => {
  await again?.stop()
  again = undefined
  await first.close()
})

const next = generationFormat + 1

const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `Part ${from + n} turns wheel${from + n} with lever${from + n}.`)
const id = parseLibraryId('/acme/docs')
const context = new URLSearchParams({ libraryId: '/acme/docs', query: 'wheel7' })

async function reopen(openSnippets: (folder: string) => SnippetStore): Promise<TestInstall> {
  await again?.stop()
  again = await testInstall({ reopen: first, openSnippets, openAi: () => aiOf(() => embedder, []) })
  return again
}
const contextOf = async (url: string, query: string) =>
  (await fetch(`${url}/api/v2/context?${new URLSearchParams({ libraryId: '/acme/docs', query })}`)).text()
const ask = async ({ url }: { url: string }) => {
  const answer = await fetch(`${url}/api/v2/context?${context}`)
  return [answer.status, await answer.text()] as const
}
/** Stops the install and leaves its content as a program of format 1 wrote it. */
async function leaveInFormat1(change?: (row: SnippetRow) => SnippetRow): Promise<void> {
  const generations = first.app.catalog.versions(id).map(({ generation }) => generation)
  await first.stop()
  await rewriteInFormat1(first.dataDir, generations, change)
  const db = openDatabase(first.dataDir)
  db.exec('UPDATE versions SET format = 1')
  db.close()
}
const kindsOf = async ({ app }: Pick<TestInstall, 'app'>, generation: string) => {
  const statistics = await app.snippets.statistics(generation)
  return Array.from({ length: statistics?.pages ?? 0 }, (_, page) => statistics?.pageKind(page))
}
const rebuilt = (install: TestInstall) =>
  until(() => {
    const { jobs } = install.app.jobs.list(1, 10)
    return jobs[0]?.kind === 'reindex' && jobs[0].finishedAt
  })

test('content in an old format is rebuilt from its rows, without fetching, and returns the same results', async () => {
  await first.parse('acme/docs', { versions: ['v1.0.0'] })
  const [status, before] = await ask(first)
  expect([status, before.includes('lever7.')]).toEqual([200, true])
  const old = first.app.catalog.versions(id)
  expect(old.map(({ format }) => format)).toEqual([generationFormat, generationFormat])
  await first.git.remove('acme/docs')
  await first.stop()
  const install = await reopen((folder) => lanceSnippets(folder, { format: next }))
  await rebuilt(install)
  const versions = install.app.catalog.versions(id)
  expect(versions.map(({ format, snippets, commit }) => [format, snippets, commit])).toEqual(
    old.map(({ snippets, commit }) => [next, snippets, commit]),
  )
  const formats = versions.map(({ generation }) => install.app.snippets.formatOf(generation))
  expect(await Promise.all(formats)).toEqual([next, next])
  expect(await ask(install)).toEqual([200, before])
  expect((await install.call('GET', '/api/reindex')).body.needed).toBe(0)
})

test('content with unreadable old statistics reports that it is being rebuilt, and is then served', async () => {
  await first.parse('acme/docs')
  const [, before] = await ask(first)
  await first.stop()
  const gate = Promise.withResolvers<void>()
  const install = await reopen((folder) => {
    const snippets = lanceSnippets(folder, { format: next, oldestReadable: next })
    async function* read(...asked: Parameters<SnippetStore['read']>) {
      await gate.promise
      yield* snippets.read(...asked)
    }
    return { ...snippets, read }
  })
  const [status, body] = await ask(install)
  expect([status, JSON.parse(body)]).toEqual([
    503,
    expect.objectContaining({
      error: 'search_failed',
      message: expect.stringContaining('The content of /acme/docs cannot be read. It is in an old format and is being rebuilt'),
    }),
  ])
  gate.resolve()
  await rebuilt(install)
  expect(await ask(install)).toEqual([200, before])
})

test('content in a newer format is kept, and the error says which version to start', async () => {
  await first.stop()
  const newer = await reopen((folder) => lanceSnippets(folder, { format: next + 1 }))
  newer.app.settings.change({ 'github.baseUrl': first.git.url })
  const { body } = await newer.call('POST', '/api/parse', { repoUrl: `${first.git.url}/acme/docs` })
  await until(() => newer.app.jobs.get(Number(body.queueId))?.finishedAt)
  const tables = await first.tables()
  const older = await reopen((folder) => lanceSnippets(folder))
  const [status, said] = await ask(older)
  expect([status, said]).toEqual([503, expect.stringContaining('written by a newer version of Carrel. Start that version')])
  expect((await older.call('POST', '/api/reindex')).body).toMatchObject({ queued: [] })
  await older.stop()
  again = undefined
  expect(await first.tables()).toEqual(tables)
  expect((await ask(await reopen((folder) => lanceSnippets(folder, { format: next + 1 }))))[0]).toBe(200)
})

test('vectors are kept when the index is rebuilt, with no provider set, and no text is embedded again', async () => {
  embedder = testEmbedder()
  await first.parse('acme/docs')
  const [old] = first.app.catalog.versions(id)
  await first.stop()
  embedder = undefined
  const install = await reopen((folder) => lanceSnippets(folder, { format: next }))
  await rebuilt(install)
  const [version] = install.app.catalog.versions(id)
  expect([version?.space, version?.format]).toEqual([old?.space, next])
  const rows: unknown[] = []
  for await (const batch of install.app.snippets.read(version?.generation ?? '', { vectors: true })) rows.push(...batch)
  expect(rows).toEqual(Array.from({ length: 20 }, () => expect.objectContaining({ vector: expect.any(Float32Array) })))
  expect(install.app.vectors.modelOf(version?.generation ?? '')).toBe(version?.space?.model)
})

test('a re-index without a provider rebuilds content in an old format', async () => {
  await first.parse('acme/docs')
  await first.stop()
  // Such content is also rebuilt without being asked for: here only the request can do it.
  const install = await reopen((folder) => lanceSnippets(folder))
  Object.assign(install.app.snippets, { format: next })
  expect((await install.call('GET', '/api/reindex')).body).toEqual({
    needed: 1,
    texts: 0,
    tokens: 0,
    model: null,
    dimensions: null,
  })
  expect(await install.call('POST', '/api/reindex')).toMatchObject({ status: 202, body: { queued: ['/acme/docs'] } })
  await rebuilt(install)
  expect(install.app.jobs.list(1, 1).jobs[0]).toMatchObject({ state: 'done', report: { textsEmbedded: 0 } })
})

test('content of format 1 finds the same before its rebuild, in an order of its own, and returns the same after it', async () => {
  const files = {
    'guide/levers.md': page('Levers', 'A lever turns the wheel.'),
    'docs/releases.md': page('Releases', 'The lever turns the wheel.'),
    'README.md': page('Start', 'One lever turns one wheel.'),
  }
  await first.git.remove('acme/docs')
  await first.git.create('acme/docs', { files })
  await first.parse('acme/docs', { force: true })
  const [{ generation = '' } = {}] = first.app.catalog.versions(id)
  const kinds = await kindsOf(first, generation)
  expect(kinds).toContainEqual({ guide: false, change: true, source: false })
  const questions = ['lever wheel', 'what has changed about the lever']
  const askAll = (url: string) => Promise.all(questions.map((query) => contextOf(url, query)))
  const before = await askAll(first.url)
  await leaveInFormat1()
  const gate = Promise.withResolvers<void>()
  const install = await reopen((folder) => {
    const snippets = lanceSnippets(folder)
    async function* read(...asked: Parameters<SnippetStore['read']>) {
      await gate.promise
      yield* snippets.read(...asked)
    }
    return { ...snippets, read }
  })
  expect(await kindsOf(install, generation)).toEqual(kinds.map(() => undefined))
  const sorted = (answers: string[]) => answers.map((text) => text.split('\n').sort())
  expect(sorted(await askAll(install.url))).toEqual(sorted(before))
  gate.resolve()
  await rebuilt(install)
  const [version] = install.app.catalog.versions(id)
  expect([version?.format, await kindsOf(install, version?.generation ?? '')]).toEqual([generationFormat, kinds])
  expect(await askAll(install.url)).toEqual(before)
})

test('the rebuild of format 1 removes hidden characters from all texts of rows', async () => {
  const hidden = '\u{E0041}\u202E\u001b\u200B'
  await first.git.commit('acme/docs', { files: { 'carrel.json': JSON.stringify({ rules: ['Turn the wheel gently.'] }) } })
  const soiled = (text: string) => text.replaceAll(/\w{3,}/g, (word) => word.slice(0, 2) + hidden + word.slice(2))
  await first.parse('acme/docs', { force: true })
  const [, before] = await ask(first)
  await leaveInFormat1((row) => ({
    ...row,
    breadcrumb: row.breadcrumb.map(soiled),
    content: soiled(row.content),
    code: row.code.map(({ language, code }) => ({ language, code: soiled(code) })),
    path: soiled(row.path),
    url: soiled(row.url),
    topic: soiled(row.topic),
  }))
  const db = openDatabase(first.dataDir)
  db.prepare('UPDATE versions SET rules = ?').run(JSON.stringify([soiled('Turn the wheel gently.')]))
  db.close()
  const install = await reopen((folder) => lanceSnippets(folder))
  await rebuilt(install)
  expect(await ask(install)).toEqual([200, before])
  const [version] = install.app.catalog.versions(id)
  for await (const batch of install.app.snippets.read(version?.generation ?? ''))
    expect(JSON.stringify(batch)).not.toMatch(/[\u{E0041}\u202E\u200B]|\\u001b/u)
})
