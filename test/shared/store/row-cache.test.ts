import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const words = Array.from({ length: 90 }, (_, i) => `word${i}`)

test('rows that two questions matched are not read again', async () => {
  const folder = tempDir()
  const store = lanceSnippets(folder)
  onTestFinished(() => store.close())
  const rows = words.map((word, i) => row(`/docs/page-${i}`, `lever ${word}`, { page: i, vector: Float32Array.of(1, i) }))
  await writeGeneration(store, 'g1', rows)
  const ask = (word: string, options = {}) => store.search('g1', [{ term: word, weight: 1 }], 30, options)
  const first = await ask('lever')
  expect(first).toEqual(rows.slice(0, 30).map(({ vector, ...each }) => each))
  expect(await ask('lever', { vectors: true })).toEqual(rows.slice(0, 30))
  for (let i = 0; i < 3; i++) expect(await ask('lever')).toEqual(first)
  const data = join(folder, 'g1.lance/data')
  for (const file of readdirSync(data)) rmSync(join(data, file))
  expect(await ask('word7')).toEqual([first?.[7]])
  await expect(ask('word80')).rejects.toThrow()
})

test('a generation that is written again under its name returns its new rows', async () => {
  const store = lanceSnippets(tempDir())
  onTestFinished(() => store.close())
  const found = async () => (await store.search('g1', [{ term: 'lever', weight: 1 }], 5))?.map(({ content }) => content)
  for (const content of ['old', 'new']) {
    await writeGeneration(store, 'g1', [row('/docs/page-0', 'lever', { content })])
    for (let i = 0; i < 4; i++) expect(await found()).toEqual([content])
    await store.drop('g1')
  }
})
