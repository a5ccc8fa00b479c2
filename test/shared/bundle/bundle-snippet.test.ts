import { describe, expect, test } from 'vitest'
import { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { bundleSnippet, snippetFrom } from '../../../shared/bundle/bundle-snippet.ts'
import { readPage } from '../../../shared/bundle/read-page.ts'
import { analysePage } from '../../../shared/reading/analyse-page.ts'
import { getContext } from '../../../shared/search/get-context.ts'
import { renderJson, renderText } from '../../../shared/search/render-answer.ts'
import { packStatistics } from '../../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../../shared/search/statistics/statistics-builder.ts'
import { proseOf } from '../../../shared/snippet.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { allOf } from '../../contracts/snippet-store.ts'
import { bundleOf } from '../../fixtures/bundle.ts'
import { parsedLibrary } from '../../fixtures/parsed-library.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const manual = {
  'docs/guide.md': `# A > B guide

Start of the guide, before any heading, with a lever.

## Install > Linux > arm64

### From a package

Install the wheel with one command:

\`\`\`sh
apt install wheel
\`\`\`

Then check that the wheel turns:

\`\`\`ts
const wheel = await getWheel('front')
\`\`\`

## Levers

${Array.from({ length: 60 }, (_, n) => `Lever number ${n} lifts ${n * 7} kilograms of weight number${n * 3}, if it is long enough for pulley${n}.`).join('\n\n')}

### Pulleys

A pulley turns. Use \`usePulley()\` for the Größe of a 漢字 pulley.
`,
  'docs/other.md': '# Other\n\nOther words about springs, told without any code at all.\n',
  'docs/codes.md': '# Codes\n\n## Nested fences\n\n````md\n```ts\nnested()\n```\n````\n\nSome prose after it.\n',
}
const questions = [
  'install the wheel on linux',
  'how many kilograms does lever 12 lift',
  'usePulley',
  'nested fences',
  'springs',
  'guide',
]

test('a library from a bundle returns the same text and JSON as the original for every question', async () => {
  const original = await parsedLibrary(manual)
  const element = BundleElement.parse((await bundleOf(original.snippets, 'docs')).libraries[0])
  const snippets = [...element.codeSnippets, ...element.infoSnippets].sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
  expect(element.codeSnippets.length).toBeGreaterThan(1)
  expect(element.infoSnippets.length).toBeGreaterThan(3)

  const imported = lanceSnippets(tempDir())
  const writer = await imported.write('docs')
  const statistics = statisticsBuilder()
  for (const page of Map.groupBy(snippets, (each) => each.page).values()) {
    const kept = page.map(snippetFrom)
    const chunks = kept.map((each, line) => ({ ...each, prose: proseOf(each), line, section: page[line]?.section ?? 0 }))
    const { chunks: rows, counts } = analysePage(chunks, kept[0]?.path ?? '', ({ line }) => kept[line]?.url ?? '')
    expect(rows.map(({ hash, topic, tokens }) => [hash, topic, tokens])).toEqual(
      kept.map(({ hash, topic, tokens }) => [hash, topic, tokens]),
    )
    const number = statistics.add(counts)
    await writer.add(rows.map((each, i) => ({ ...each, id: `${number}-${i}`, page: number })))
  }
  await writer.finish(packStatistics(statistics.total()))

  for (const query of questions) {
    const ask = (store: typeof imported) =>
      getContext({ ...original, snippets: store }, { libraryId: { owner: 'acme', repo: 'docs' }, query, tokens: 5000 })
    const [first, second] = [await ask(original.snippets), await ask(imported)]
    expect(first.snippets.length).toBeGreaterThan(0)
    expect(renderText(second)).toBe(renderText(first))
    expect(renderJson(second)).toEqual(renderJson(first))
  }
  imported.close()
})

test('a snippet is read back with every field that it was stored with', async () => {
  const { snippets } = await parsedLibrary(manual)
  const stored = await allOf(snippets.scan('docs'))
  Object.assign(stored[0] ?? {}, { docsLanguage: 'de', alsoOn: ['https://example.com/b'], includedBy: 'docs/all.md' })
  for (const [order, { page: _, section: __, ...snippet }] of stored.entries()) {
    const through = JSON.parse(JSON.stringify(bundleSnippet({ ...snippet, page: 1, section: 2 }, order)))
    const back = snippetFrom(through)
    expect(back).toEqual({ ...snippet, id: String(order) })
  }
})

test.each([
  [['Page']],
  [['Page', 'Page']],
  [['A > B']],
  [['A > B', 'C']],
  [['A', 'B > C']],
  [['A > B', 'A > B']],
  [['A', 'B', 'C']],
  [['', 'B']],
  [['A', '']],
  [['A', '', 'C']],
  [['A', 'B > C', 'D']],
  [['A', 'B >', '> C', 'D']],
  [[]],
])('the breadcrumb %j is read back unchanged', (breadcrumb) => {
  expect(snippetFrom(bundleSnippet(row('a', 'x', { breadcrumb }), 0)).breadcrumb).toEqual(breadcrumb)
})

describe('a snippet of another product, with only the fields of the contract,', () => {
  const { codeSnippets, infoSnippets } = BundleElement.parse({
    project: '/acme/docs',
    somethingElse: { a: 1 },
    codeSnippets: [
      {
        id: 'https://example.com/a',
        title: 'Run it',
        description: 'How to run.',
        language: 'ts',
        codeList: [{ language: 'ts', code: 'run(`\n```\n`)' }],
        tokens: 3,
        embedding: [1],
      },
    ],
    infoSnippets: [{ id: 'https://example.com/b', content: 'Just words.', breadcrumb: 'Page > Part', tokens: 3 }],
  })
  test('gets its breadcrumb, content and address from those fields', () => {
    expect(codeSnippets.map(snippetFrom)).toMatchObject([
      {
        breadcrumb: ['Run it'],
        content: 'How to run.\n\n````ts\nrun(`\n```\n`)\n````',
        url: 'https://example.com/a',
        tokens: 10,
      },
    ])
    expect(infoSnippets.map(snippetFrom)).toMatchObject([
      { breadcrumb: ['Page', 'Part'], content: 'Just words.', code: [], url: 'https://example.com/b' },
    ])
  })
})

test('the note on generated documentation is not searched', () => {
  const note = 'Generated from `src/kettle.ts` by a language model.'
  const codeList = [{ language: 'ts', code: 'boil()' }]
  const ofCode = { id: 'a', title: 'Boil', tokens: 0, description: note, language: 'ts', codeList, content: note }
  const ofWords = { id: 'b', title: 'Heat', tokens: 0, content: `${note}\n\nA model of heat.` }
  const { chunks } = readPage({ path: '', snippets: [ofCode, ofWords] })
  expect(chunks.map(({ terms }) => terms)).toEqual(['boil boil boil', 'heat heat a model of heat'])
})

test('the length and hash of a snippet are computed again', () => {
  const from = { ...bundleSnippet(row('a', 'x', { content: '12345678' }), 0), tokens: 9e15, hash: 'forged' }
  expect(snippetFrom(from)).toMatchObject({ tokens: 2, hash: expect.stringMatching(/^[0-9a-f]{32}$/) })
})

test('a snippet of a bundle without topics gets the topic from its page and section', () => {
  const topics = (from: object) => snippetFrom({ id: 'a', title: 'Usage', tokens: 0, content: 'Turn it.', ...from }).topic
  expect(topics({ pageTitle: 'Levers' })).toBe('levers')
  expect(topics({ pageTitle: 'Levers', title: 'Turn a lever' })).toBe('turn a lever')
  expect(topics({ pageTitle: 'Levers', topic: 'pulleys' })).toBe('pulleys')
})
