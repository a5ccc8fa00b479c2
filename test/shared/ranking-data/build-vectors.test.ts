import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildVectors, type VectorsOptions } from '../../../tools/ranking-data/vectors/build-vectors.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { writeTree } from '../../fixtures/write-tree.ts'

const small = { dimensions: 4, maxChunks: 1000, minChunks: 2, minFolders: 2 }

/** Builds vectors from the documentation in `FOLDER/one` and `FOLDER/two`. */
async function build(files: Record<string, string>, options: Partial<VectorsOptions> = {}) {
  const folder = tempDir()
  writeTree(folder, files)
  const out = join(folder, 'out')
  const reports: string[] = []
  await buildVectors([join(folder, 'one'), join(folder, 'two')], { ...small, out, ...options }, (line) => reports.push(line))
  const bytesOf = (name: string) => readFileSync(join(out, name))
  return {
    model: JSON.parse(bytesOf('model.json').toString()),
    vectors: bytesOf('vectors.i8'),
    weights: bytesOf('weights.f32'),
    reports,
  }
}

/** Cookies and sessions in some sections, tables and columns in others. */
const pages = {
  'one/web.md':
    '# Web\n\n## Cookies\n\nA cookie keeps the session secret.\n\n## Sessions\n\nThe session reads its secret from a cookie.\n',
  'one/data.md':
    '# Data\n\n## Tables\n\nA table indexes its column.\n\n## Columns\n\nThe column of a table has an index. Frobnicate42.\n',
  'two/web.rst': 'Web\n===\n\nCookies\n-------\n\nSet the cookie of a session, and its secret.\n',
  'two/data.rst': 'Data\n====\n\nTables\n------\n\nAdd a column and an index to a table.\n',
  'two/code.md': '# Code\n\n```js\nconst zebra = table.column\n```\n',
}

type Built = Awaited<ReturnType<typeof build>>

function similarity({ model, vectors }: Built, a: string, b: string): number {
  const [first, second] = [a, b].map((word) => {
    const at = model.words.indexOf(word) * model.dimensions
    return new Int8Array(vectors.subarray(at, at + model.dimensions))
  }) as [Int8Array, Int8Array]
  const dot = (x: Int8Array, y: Int8Array) => x.reduce((sum, each, i) => sum + each * (y[i] ?? 0), 0)
  return dot(first, second) / Math.sqrt(dot(first, first) * dot(second, second))
}

test('words that occur near each other get near vectors, the same ones each time', async () => {
  const built = await build(pages)
  expect(similarity(built, 'cooki', 'session')).toBeGreaterThan(similarity(built, 'cooki', 'column') + 0.5)
  expect(similarity(built, 'tabl', 'column')).toBeGreaterThan(similarity(built, 'tabl', 'secret') + 0.5)
  const again = await build(pages)
  expect(again.vectors.equals(built.vectors) && again.weights.equals(built.weights)).toBe(true)
})

test('the files have a word, its bytes and its factors in the same order, frequent words first', async () => {
  const { model, vectors, weights } = await build(pages)
  expect(model).toMatchObject({ dimensions: 4, totalChunks: 7 })
  expect(vectors).toHaveLength(model.words.length * 4)
  expect(weights).toHaveLength(model.words.length * 2 * 4)
  expect(model.chunks).toEqual(model.chunks.toSorted((a: number, b: number) => b - a))
  const at = model.words.indexOf('cooki')
  const row = new Int8Array(vectors.subarray(at * 4, at * 4 + 4))
  const weight = weights.readFloatLE(at * 8) * Math.hypot(...row)
  expect(weight).toBeCloseTo(-Math.log(0.001 + model.chunks[at] / model.totalChunks), 1)
})

test('words of one project, of code and without meaning are omitted', async () => {
  const { words } = (await build(pages)).model
  for (const word of ['frobnicate42', 'zebra', 'the', 'set']) expect(words).not.toContain(word)
})

test('the build reports a page that cannot be read, and reads no page in another language', async () => {
  const german =
    'Die Tabelle hat eine Spalte, und ihr Verzeichnis wird beim Schreiben erneuert, damit eine Suche schnell bleibt und nichts fehlt. '
  const { reports, model } = await build({
    ...pages,
    'one/empty.md': '',
    'one/g.md': `# G\n\n${german.repeat(3)}`,
    'two/g.md': `# G\n\n${german.repeat(3)}`,
  })
  expect(reports).toContainEqual(expect.stringMatching(/one: 1 page skipped, the first is empty\.md: it is empty/))
  expect(model.words).not.toContain('tabel')
})

test.each<[string, Record<string, string>, Partial<VectorsOptions>, RegExp]>([
  ['a missing folder', { 'one/a.md': '# A\n\nText\n' }, {}, /two is not a folder/],
  ['a folder without documentation', { 'one/a.md': '# A\n\nText\n', 'two/a.png': '' }, {}, /two has no documentation in English/],
  [
    'too little documentation',
    pages,
    { minChunks: 50 },
    /Only 0 words occur in 50 sections and 2 folders\. Name more documentation/,
  ],
])('the build rejects %s', async (_, files, options, message) => {
  await expect(build(files, options)).rejects.toThrow(message)
})
