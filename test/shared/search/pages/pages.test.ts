import { expect, test } from 'vitest'
import { listOutline, outlineText } from '../../../../shared/search/pages/list-outline.ts'
import { pageText, readPage } from '../../../../shared/search/pages/read-page.ts'
import { countTokens } from '../../../../shared/text/count-tokens.ts'
import { type Files, indexedLibrary } from '../../../fixtures/indexed-library.ts'

const library = {
  ...{ id: '/acme/docs', title: 'Docs', description: '', branch: 'main', lastUpdateDate: '', state: 'finalized' as const },
  ...{ totalTokens: 1, totalSnippets: 1, stars: -1, trustScore: -1, benchmarkScore: 0, versions: [], aliases: [], source: '' },
}
const libraryId = { owner: 'acme', repo: 'docs' }

async function pagesOf(files: Files) {
  const { snippets, index } = indexedLibrary()
  await index('docs', files)
  const commitDate = '2026-11-20T10:00:00.000Z'
  const served = async () => ({ library, version: undefined, ref: '4.6', commitDate, generation: 'docs', rules: [] })
  return { snippets, catalog: { served } }
}

const page = (title: string) => `# ${title}\n\nAll about the ${title} of a clock.\n`
const guide = `# Guide

Start here.

## Install

Use npm:

\`\`\`sh
npm install clock
\`\`\`

### On Windows

Use the wheel.

## Use

${Array.from({ length: 40 }, (_, n) => `### Lever ${n}\n\nThe lever number ${n} turns wheel ${n * 7} of the clock in the tower of the town, every hour.`).join('\n\n')}
`

test('the outline of a small library has all its pages with tokens, and that of a folder only its own', async () => {
  const ports = await pagesOf({ 'README.md': page('Clock'), 'docs/a.md': page('Wheel'), 'docs/b/c.md': page('Lever') })
  const all = await listOutline(ports, { libraryId })
  expect(outlineText(all)).toMatch(
    /^Pages of Docs \(\/acme\/docs, 4\.6, commit of 2026-11-20\): 3 pages, \d+ tokens\n\n- README\.md: Clock \(\d+ tokens\)\n- docs\/a\.md: Wheel \(\d+ tokens\)\n- docs\/b\/c\.md: Lever \(\d+ tokens\)$/,
  )
  const folder = await listOutline(ports, { libraryId, folder: '/docs/b/' })
  expect(folder).toMatchObject({
    folder: 'docs/b',
    total: { pages: 1 },
    pages: [{ path: 'docs/b/c.md' }],
    folders: [],
    omitted: 0,
  })
  await expect(listOutline(ports, { libraryId, folder: 'doc' })).rejects.toThrow(/no pages in "doc".*Its folders: docs\./)
})

test('the outline of a large library has folders in place of their pages, and what is beyond the limit as a number', async () => {
  const pages = Array.from({ length: 250 }, (_, n) => [`docs/part${n % 3}/p${n}.md`, page(`Wheel ${n}`)])
  const ports = await pagesOf({ ...Object.fromEntries(pages), 'docs/index.md': page('Clock') })
  const all = await listOutline(ports, { libraryId })
  expect(all.folders.map(({ path, pages }) => [path, pages])).toEqual([
    ['docs/part0', 84],
    ['docs/part1', 83],
    ['docs/part2', 83],
  ])
  expect([all.pages.map(({ path }) => path), all.total.pages, all.omitted]).toEqual([['docs/index.md'], 251, 0])
  const many = await pagesOf(Object.fromEntries(Array.from({ length: 205 }, (_, n) => [`p${n}.md`, page(`Wheel ${n}`)])))
  expect((await listOutline(many, { libraryId })).omitted).toBe(5)
})

test('a page is read in its order with its headings, in parts that the cursor joins and that fit into the budget', async () => {
  const ports = await pagesOf({ 'docs/guide.md': guide })
  const texts: string[] = []
  let cursor: string | undefined
  do {
    const part = await readPage(ports, { libraryId, path: 'docs/guide.md', tokens: 1000, cursor })
    expect(countTokens(pageText(part))).toBeLessThanOrEqual(1000)
    texts.push(part.content)
    cursor = part.cursor
  } while (cursor !== undefined)
  expect(texts.length).toBeGreaterThan(1)
  const headings = texts.join('\n').match(/^#+ .*$/gm)
  expect(headings?.slice(0, 4)).toEqual(['## Install', '### On Windows', '## Use', '### Lever 0'])
  expect(new Set(headings?.filter((each) => each.startsWith('### Lever'))).size).toBe(40)
  expect(texts.join('\n')).toContain('```sh\nnpm install clock\n```')
})

test('a section is read with the sections below it: by heading, by joined headings, by anchor', async () => {
  const ports = await pagesOf({ 'docs/guide.md': guide, 'docs/other.md': page('Other') })
  for (const section of ['install', 'Guide > Install', '#install']) {
    const { content, cursor } = await readPage(ports, { libraryId, path: '/docs/guide.md', section, tokens: 5000 })
    expect(content.match(/^#+ .*$/gm)).toEqual(['## Install', '### On Windows'])
    expect(cursor).toBeUndefined()
  }
  const missing = readPage(ports, { libraryId, path: 'docs/guide.md', section: 'Instal', tokens: 5000 })
  await expect(missing).rejects.toThrow(/no section "Instal"\. Its sections: Guide, Install, On Windows/)
})

test('a page is found by the address of an answer, and an unknown page names similar ones', async () => {
  const ports = await pagesOf({ 'docs/guide.md': guide })
  const { url, path } = await readPage(ports, { libraryId, path: 'docs/guide.md', tokens: 1000 })
  expect((await readPage(ports, { libraryId, path: `${url}#L5`, tokens: 1000 })).path).toBe(path)
  await expect(readPage(ports, { libraryId, path: 'docs/giude.md', tokens: 1000 })).rejects.toThrow(
    'Similar paths: docs/guide.md.',
  )
  const wrong = readPage(ports, { libraryId, path: 'docs/guide.md', tokens: 1000, cursor: '-1' })
  await expect(wrong).rejects.toThrow('cursor "-1" is not one of this page')
})

test('text that a page includes leads to the page by its path, its address and its folder', async () => {
  const ports = await pagesOf({
    'docs/guide.md': '# Guide\n\nStart.\n\n--8<-- "parts/lever.md"\n',
    'parts/lever.md': '## Lever\n\nIt turns the wheel.\n',
  })
  const tokens = 500
  const guide = await readPage(ports, { libraryId, path: 'docs/guide.md', tokens })
  const address = guide.snippets.find(({ path }) => path === 'parts/lever.md')?.url ?? ''
  expect(address).toMatch(/parts\/lever\.md#L1$/)
  for (const path of ['parts/lever.md', address]) expect(await readPage(ports, { libraryId, path, tokens })).toEqual(guide)
  expect((await listOutline(ports, { libraryId, folder: 'parts' })).pages).toMatchObject([{ path: 'docs/guide.md' }])
})
