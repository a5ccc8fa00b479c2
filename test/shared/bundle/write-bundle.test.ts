import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { BundleElement } from '../../../shared/bundle/bundle-element.ts'
import { measuredStore } from '../../../shared/bundle/measured-store.ts'
import { bundleSize, snippetBytes, writeBundle } from '../../../shared/bundle/write-bundle.ts'
import type { SnippetRow, StoredSnippet } from '../../../shared/search/rows/snippet-store.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
import { head } from '../../fixtures/bundle.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const code = (n: number) => row(`c${n}`, 'x')
const info = (n: number) => row(`i${n}`, 'x', { code: [] })
const bytesOf = (rows: SnippetRow[]) => rows.reduce((sum, each, order) => sum + snippetBytes(each, order), 0)

const source = (rows: SnippetRow[], more = {}) => ({
  head: head(more),
  async *rows() {
    for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3)
  },
})
const textOf = async (...sources: ReturnType<typeof source>[]) => String(await buffer(writeBundle(sources)))

test('a bundle is the body of an import: elements with their snippets in two lists, in reading order', async () => {
  const rows = [info(0), code(1), code(2), info(3), code(4)]
  const { libraries, force, ...more } = JSON.parse(await textOf(source(rows), source([info(0)], { project: '/acme/docs@v1' })))
  expect([force, more]).toEqual([false, {}])
  const [first, second] = libraries.map((each: unknown) => BundleElement.strict().parse(each))
  expect(first.codeSnippets.map(({ id, order }: { id: string; order: number }) => [id, order])).toEqual([
    ['https://example.com/c1', 1],
    ['https://example.com/c2', 2],
    ['https://example.com/c4', 4],
  ])
  expect(first.infoSnippets.map(({ order }: { order: number }) => order)).toEqual([0, 3])
  expect([second.project, second.codeSnippets, second.infoSnippets.length]).toEqual(['/acme/docs@v1', [], 1])
  expect(first.codeSnippets[0]).toEqual({
    id: 'https://example.com/c1',
    title: 'Section c1',
    description: 'Content of c1',
    language: 'ts',
    codeList: [{ language: 'ts', code: `run('c1')` }],
    tokens: 12,
    pageTitle: 'Page',
    topic: 'section',
    breadcrumb: 'Page > Section c1',
    url: 'https://example.com/c1',
    path: 'docs/page.md',
    page: 0,
    section: 0,
    order: 1,
    content: 'Content of c1',
    version: 'main',
  })
})

test.each([
  ['of nothing', []],
  ['of one empty element', [[]]],
  ['of code alone', [[code(0), code(1)]]],
  ['of prose alone', [[info(0)]]],
  ['of many', [Array.from({ length: 500 }, (_, n) => (n % 3 ? code(n) : info(n))), [], [info(0), code(1)]]],
  ['of hostile text', [[row('"\\\u2028\u0000\ud800</script>', 'x', { content: '\ud83d"}],"force":true}', topic: '__proto__' })]]],
])('the size of a bundle %s is known before it is written', async (_, elements) => {
  const text = await textOf(...elements.map((rows, n) => source(rows, { project: `/acme/größe${n}` })))
  const sizes = elements.map((rows, n) => ({
    head: head({ project: `/acme/größe${n}` }),
    snippets: rows.length,
    bundleBytes: bytesOf(rows),
  }))
  expect(Buffer.byteLength(text)).toBe(bundleSize(sizes))
  expect(JSON.parse(text).force).toBe(false)
})

test('a store measures the bundle size of a generation while it is written', async () => {
  const store = lanceSnippets(tempDir())
  const measured = measuredStore(store)
  const rows = [code(0), info(1), row('ü', 'x')]
  await writeGeneration({ ...store, ...measured }, 'g1', [code(0)])
  await writeGeneration({ ...store, ...measured }, 'g2', rows)
  expect(measured.bundleBytes('g2')).toBe(bytesOf(rows))
  expect(measured.bundleBytes('g3')).toBe(0)
  const text = String(await buffer(writeBundle([{ head: head(), rows: () => store.scan('g2') }])))
  expect(Buffer.byteLength(text)).toBe(bundleSize([{ head: head(), snippets: 3, bundleBytes: measured.bundleBytes('g2') }]))
  store.close()
})

test('a bundle that is cut off anywhere is not valid JSON', async () => {
  const text = await textOf(source([code(0), info(1)]))
  for (let length = 0; length < text.length; length++) expect(() => JSON.parse(text.slice(0, length))).toThrow()
  const failing = {
    head: head(),
    async *rows(): AsyncGenerator<StoredSnippet[]> {
      yield [code(0)]
      throw new Error('broken off')
    },
  }
  let sent = ''
  const write = async () => {
    for await (const chunk of writeBundle([failing])) sent += chunk
  }
  await expect(write()).rejects.toThrow('broken off')
  expect(sent).toContain('https://example.com/c0')
  expect(() => JSON.parse(sent)).toThrow()
})

test('a batch is read only after the previous one is consumed', async () => {
  let read = 0
  const endless = {
    head: head(),
    async *rows() {
      for (;;) yield [code(read++)]
    },
  }
  const chunks = writeBundle([endless])
  for (let taken = 1; taken <= 5; taken++) {
    await chunks.next()
    expect(read).toBe(taken)
  }
  await chunks.return([])
})

test('the first chunk is available with the first batch, even if the library has no code', async () => {
  let read = 0
  const prose = {
    head: head(),
    async *rows() {
      for (; read < 100; read++) yield [info(read)]
    },
  }
  const { value } = await writeBundle([prose]).next()
  expect(String(value)).toMatch(/^\{"libraries":\[\{"project":"\/acme\/docs"/)
  expect(read).toBe(0)
})
