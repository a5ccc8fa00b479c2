import { expect, test } from 'vitest'
import { analysePage } from '../../../shared/reading/analyse-page.ts'
import { getContext } from '../../../shared/search/get-context.ts'
import { renderJson, renderText } from '../../../shared/search/render-answer.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { indexedLibrary } from '../../fixtures/indexed-library.ts'

const props = (name: string) =>
  `# ${name}\n\nShows a ${name.toLowerCase()}.\n\n## Props\n\n### accessibilityLabel\n\nOverrides the text that a screen reader reads.\n`
const upsert = '## Upsert\n\nWrites a row or updates it.\n'

const library = {
  ...{ id: '/acme/docs', title: 'Docs', description: '', branch: 'main', lastUpdateDate: '', state: 'finalized' as const },
  ...{ totalTokens: 1, totalSnippets: 1, stars: -1, trustScore: 10, benchmarkScore: 0, versions: [], aliases: [], source: '' },
}

const ask = (snippets: SnippetStore, query: string) => {
  const served = async () => ({ library, version: undefined, ref: '', generation: 'docs', rules: [] })
  const asked = { libraryId: { owner: 'acme', repo: 'docs' }, query, tokens: 2000 }
  return getContext({ snippets, catalog: { served } }, asked)
}

test('a section of two pages is answered once, from the page that the question names, with the address of the other', async () => {
  const { snippets, index } = indexedLibrary()
  const report = await index('docs', { 'button.md': props('Button'), 'view.md': props('View') })
  expect(report.snippets).toBe(4)
  for (const [asked, other] of [
    ['view', 'button.md#L7'],
    ['button', 'view.md#L7'],
  ] as const) {
    const answer = await ask(snippets, `accessibilityLabel of a ${asked}`)
    const [first, ...others] = renderJson(answer).infoSnippets
    expect(first?.breadcrumb.toLowerCase()).toBe(`${asked} > props > accessibilitylabel`)
    expect(first?.alsoOn).toEqual([expect.stringMatching(new RegExp(`/${other}$`))])
    expect(others.some(({ breadcrumb }) => breadcrumb.includes('accessibilityLabel'))).toBe(false)
    expect(renderText(answer)).toMatch(/^Source: \S+\n\nAlso on: \S+\n\nOverrides the text/m)
  }
})

test('a section that two pages include names the other page, not the file with its text', async () => {
  const { snippets, index } = indexedLibrary()
  const page = (title: string) => `# ${title}\n\n--8<-- "parts/wind.md"\n`
  await index('docs', {
    'lever.md': page('Lever'),
    'pulley guide.md': page('Pulley'),
    'parts/wind.md': '## Wind it\n\nWind the spring every day.\n',
  })
  const [found] = renderJson(await ask(snippets, 'wind the spring of a lever')).infoSnippets
  expect(found?.breadcrumb).toBe('Lever > Wind it')
  expect(found?.alsoOn).toEqual([expect.stringMatching(/\/blob\/[0-9a-f]{40}\/pulley%20guide\.md(#L\d+)?$/)])
})

test('a page whose sections are all copies is listed with its own title', async () => {
  const { snippets, index } = indexedLibrary()
  const page = (title: string) => `---\ntitle: ${title}\n---\n\n${upsert}`
  await index('docs', { 'docs/build.md': page('Build'), 'docs/create.md': page('Create') })
  expect((await snippets.pages('docs'))?.map(({ path, title }) => [path, title])).toEqual([
    ['docs/build.md', 'Build'],
    ['docs/create.md', 'Create'],
  ])
  const [found] = renderJson(await ask(snippets, 'create upsert')).infoSnippets
  expect(found?.breadcrumb).toBe('Create > Upsert')
})

test('a page that is there hundreds of times does not displace other pages', async () => {
  const { snippets, index } = indexedLibrary()
  const copies = Array.from({ length: 300 }, (_, n) => [`a/${n}.md`, `# Lever\n\n## Upsert a lever\n\nWrites a lever.\n`])
  await index('docs', { ...Object.fromEntries(copies), 'z.md': `# Lever table\n\nA table of every lever.\n\n${upsert}` })
  const answer = renderJson(await ask(snippets, 'upsert a lever'))
  expect(answer.infoSnippets.map(({ breadcrumb }) => breadcrumb)).toContain('Lever table > Upsert')
  expect(answer.infoSnippets[0]?.alsoOn).toHaveLength(9)
})

test('a page of thousands of equal sections has each of them once per heading', () => {
  const chunk = (heading: string) => ({
    ...{ breadcrumb: ['Page', heading], content: 'Turns the wheel.', prose: 'Turns the wheel.', code: [], line: 1, section: 0 },
  })
  const chunks = Array.from({ length: 10_000 }, (_, n) => chunk(n % 2 === 0 ? 'Lever' : 'Pulley'))
  const page = analysePage(chunks, 'a.md', () => '')
  expect(page.chunks.map(({ breadcrumb }) => breadcrumb[1])).toEqual(['Lever', 'Pulley'])
  expect(page.counts.chunks).toBe(2)
})
