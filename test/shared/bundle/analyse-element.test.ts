import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Analysed, type AnalysedBatch, analyseElement } from '../../../shared/bundle/analyse-element.ts'
import { type PagesRequest, packedPages } from '../../../shared/bundle/page-worker.ts'
import { addSkippedPages, readSkippedPages, stageElement } from '../../../shared/bundle/stage-element.ts'
import { unpackRows } from '../../../shared/search/rows/pack-rows.ts'
import { head } from '../../fixtures/bundle.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

/** A snippet of a page for each pair of numbers; by default ten pages of one. */
async function staged(snippets = Array.from({ length: 10 }, (_, n) => [n, n])): Promise<string> {
  const folder = `${tempDir()}/element`
  const element = await stageElement(folder)
  for (const [page, n] of snippets) {
    const snippet = { id: `https://example.com/${page}`, title: `Part ${n}`, tokens: 1, content: `Lever ${n} turns.` }
    await element.add('infoSnippets', snippet)
  }
  await element.finish(head(), [])
  return folder
}

/** Reads pages, but for those that name one of these levers. */
async function run(folder: string, earlier: Analysed, broken: number[]): Promise<AnalysedBatch[]> {
  const isBroken = (pages: PagesRequest) =>
    pages.some(({ snippets }) => snippets.some(({ content }) => broken.some((n) => content === `Lever ${n} turns.`)))
  const batches: AnalysedBatch[] = []
  const ask = async (pages: PagesRequest) => (isBroken(pages) ? { skipped: 'it is broken' } : { pages: packedPages(pages) })
  for await (const batch of analyseElement(folder, earlier, { request: ask })) batches.push(batch)
  return batches
}
const rowsOf = (batches: AnalysedBatch[]) => batches.flatMap(({ rows }) => unpackRows(rows).map(({ content }) => content))
const lostOf = (batches: AnalysedBatch[]) => batches.flatMap(({ skipped }) => skipped)

test('a list of skipped pages that a crash cut within a line is continued', async () => {
  const folder = await staged()
  const lost = [3, 4, 5].map((number) => ({ number, path: `https://example.com/${number}`, reason: 'it is broken' }))
  await addSkippedPages(folder, lost.slice(0, 1))
  appendFileSync(`${folder}/lost.ndjson`, '{"number":4,"pa')
  await addSkippedPages(folder, lost.slice(1, 2))
  await addSkippedPages(folder, lost.slice(2))
  expect(await readSkippedPages(folder)).toEqual(lost)
})

test('a section of a bundle is stored once per page', async () => {
  const copied = [
    [0, 1],
    [0, 2],
    [0, 1],
    [1, 2],
    [1, 3],
    [2, 3],
  ]
  const rows = (await run(await staged(copied), { rows: 0, skipped: [] }, [])).flatMap((batch) => unpackRows(batch.rows))
  expect(rows.map(({ page, content, copy = false }) => [page, content, copy])).toEqual([
    [0, 'Lever 1 turns.', false],
    [0, 'Lever 2 turns.', false],
    [1, 'Lever 2 turns.', true],
    [1, 'Lever 3 turns.', false],
    [2, 'Lever 3 turns.', true],
  ])
})

test('an unreadable page is skipped alone, and a later run skips it without reading it', async () => {
  const folder = await staged()
  const first = await run(folder, { rows: 0, skipped: [] }, [3])
  expect(rowsOf(first)).toHaveLength(9)
  const lost = lostOf(first)
  expect(lost).toEqual([{ number: 3, path: 'https://example.com/3', reason: 'it is broken' }])
  await addSkippedPages(folder, lost)
  const again = await run(folder, { rows: 5, skipped: await readSkippedPages(folder) }, [])
  expect(rowsOf(again)).toEqual(rowsOf(first).slice(5))
  expect(lostOf(again)).toEqual(lost)
  expect(again.some(({ restart }) => restart)).toBe(false)
})

test('the run restarts if it skips a page that an earlier run wrote', async () => {
  const folder = await staged()
  const again = await run(folder, { rows: 5, skipped: [] }, [3])
  expect(again[0]).toMatchObject({ restart: true, rows: { length: 0 }, skipped: [{ number: 3 }] })
  expect((await run(folder, { rows: 3, skipped: [] }, [3])).some(({ restart }) => restart)).toBe(false)
})
