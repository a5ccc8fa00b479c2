import { afterAll, beforeAll, expect, test } from 'vitest'
import { page } from '../../fixtures/page.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const files = {
  'README.md': page('Crane', 'A crane lifts loads.'),
  'docs/en/rope.md': page('Rope', 'A rope carries the load.'),
  'docs/en/hook.md': page('Hook', 'A hook holds the load.'),
  'docs/de/rope.md': page('Seil', 'Ein Seil trägt die Last.'),
  'docs/de/hook.md': page('Haken', 'Ein Haken hält die Last.'),
  'docs/ja/rope.md': page('ロープ', 'ロープは荷物を支えます。'),
}
const create = (repo: string, more = {}) => install.git.create(repo, { files: { ...files, ...more } })
const counts = ({ state, report }: LoggedJob) => [state, report?.filesRead, report?.filesKept, report?.snippetsAfter]
const pathsOf = async (id: string) => {
  const { body } = await install.json(`/api/projects${id}/pages`)
  return (body as { pages: { path: string }[] }).pages.map(({ path }) => path).sort()
}
const snippetsOf = async (id: string, query: string) => {
  const params = new URLSearchParams({ libraryId: id, query, type: 'json' })
  const { body } = await install.json(`/api/v2/context?${params}`)
  const { codeSnippets, infoSnippets } = body as Record<
    'codeSnippets' | 'infoSnippets',
    { docsLanguage?: string; pageTitle?: string; breadcrumb: string }[]
  >
  return [...codeSnippets, ...infoSnippets]
}

test('a parse reads one language, and its report names all languages and how to read others', async () => {
  await create('lang/one')
  const job = await install.parse('lang/one')
  expect(await pathsOf('/lang/one')).toEqual(['README.md', 'docs/en/hook.md', 'docs/en/rope.md'])
  const summary =
    'The documentation is read in English (en). It also exists in German (de) and Japanese (ja). To read others, list them in languages, for example ["en","de"].'
  expect(job.report?.skipped).toEqual([
    { path: 'docs/de/', reason: 'in German (de), which languages does not name' },
    { path: 'docs/ja/', reason: 'in Japanese (ja), which languages does not name' },
    { path: 'languages', reason: summary },
  ])
  expect(job.log.map(({ line }) => line)).toContain(summary)
})

test('a request chooses the languages, a refresh keeps them, and each snippet has its language', async () => {
  await create('lang/two')
  expect((await install.parse('lang/two', { languages: ['en', 'DE'] })).state).toBe('done')
  const { body } = await install.json('/api/projects/lang/two/source')
  expect(body).toMatchObject({ languages: ['en', 'de'] })
  await install.git.commit('lang/two', { files: { 'docs/en/hook.md': page('Hook', 'A hook of steel.') } })
  expect(counts(await install.refresh('lang/two'))).toEqual(['done', 1, 4, 5])
  const snippets = await snippetsOf('/lang/two', 'Seil Last')
  expect(snippets[0]).toMatchObject({ docsLanguage: 'de', breadcrumb: expect.stringContaining('Seil') })
})

test('a change of the languages reads only the pages that it adds or whose language changes', async () => {
  await create('lang/more')
  expect(counts(await install.parse('lang/more'))).toEqual(['done', 3, 0, 3])
  await install.call('PATCH', '/api/projects/lang/more/source', { languages: ['en', 'ja'] })
  expect(counts(await install.refresh('lang/more'))).toEqual(['done', 1, 3, 4])
  await install.call('PATCH', '/api/projects/lang/more/source', { languages: null })
  expect(counts(await install.refresh('lang/more'))).toEqual(['done', 0, 3, 3])
})

test('the project file chooses the languages unless the request does; a page whose language is unknown is read', async () => {
  await create('lang/owner', { 'carrel.json': JSON.stringify({ languages: ['de', 'not a language'] }) })
  const job = await install.parse('lang/owner')
  expect(await pathsOf('/lang/owner')).toEqual(['README.md', 'docs/de/hook.md', 'docs/de/rope.md'])
  expect(job.log.map(({ line }) => line).join('\n')).toContain(
    'languages.1 in carrel.json must be the code of a language such as de or zh-CN',
  )
  await install.parse('lang/owner', { languages: ['ja'], force: true })
  expect(await pathsOf('/lang/owner')).toEqual(['README.md', 'docs/ja/rope.md'])
})

test('a language that does not exist fails a parse and its preview with those that exist', async () => {
  await create('lang/none')
  const message =
    'The documentation has no pages in French (fr). It exists in German (de), English (en) and Japanese (ja). Nothing was changed.'
  expect((await install.parse('lang/none', { languages: ['en', 'fr'] })).error).toBe(`tag_not_found: ${message}`)
  const preview = await install.call('POST', '/api/parse/preview', { repoUrl: `${install.git.url}/lang/none`, languages: ['fr'] })
  expect(preview).toMatchObject({ status: 404, body: { error: 'tag_not_found', message } })
  const invalid = await install.call('POST', '/api/parse', {
    repoUrl: `${install.git.url}/lang/none`,
    languages: ['the German one'],
  })
  expect(invalid).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('a preview names the languages and those that are read', async () => {
  await create('lang/preview')
  const { body } = await install.call('POST', '/api/parse/preview', {
    repoUrl: `${install.git.url}/lang/preview`,
    languages: ['de'],
  })
  expect(body).toMatchObject({
    files: 3,
    languages: [
      { code: 'de', files: 2, isRead: true },
      { code: 'en', files: 2, isRead: false },
      { code: 'ja', files: 1, isRead: false },
    ],
  })
})
