import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packStatistics } from '../../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../../shared/search/statistics/statistics-builder.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { loadArrow, loadLance } from '../../../shared/store/load-lance.ts'
import { row } from '../../contracts/snippet-row.ts'
import { allOf, writeGeneration } from '../../contracts/snippet-store.ts'
import { hardLink } from '../../fixtures/hard-link.ts'
import { separateColumns } from '../../fixtures/separate-columns.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('searches are served in the order they came: none waits while later ones overtake it', async () => {
  const store = lanceSnippets(tempDir())
  const rows = Array.from({ length: 2000 }, (_, i) => row(`${i}`, `common word${i % 50}`))
  await writeGeneration(store, 'g1', rows)
  const answered: number[] = []
  await Promise.all(
    Array.from({ length: 100 }, async (_, asked) => {
      await store.search('g1', [{ term: 'common', weight: 1 }], 10 + (asked % 7) * 100)
      answered.push(asked)
    }),
  )
  store.close()
  for (const [place, asked] of answered.entries()) expect(place).toBeGreaterThan(asked - 4)
})

test('the files of a writer that was killed before its first batch are replaced', async () => {
  const folder = tempDir()
  for (const name of ['half', 'half.statistics']) {
    mkdirSync(join(folder, `${name}.lance/data`), { recursive: true })
    writeFileSync(join(folder, `${name}.lance/data/0.lance`), 'half a file')
  }
  const store = lanceSnippets(folder)
  onTestFinished(() => store.close())
  const writer = await store.write('half')
  expect(writer.written).toBe(0)
  await writer.add([row('a', 'lever')])
  await writer.finish(packStatistics(statisticsBuilder().total()))
  expect((await allOf(store.scan('half'))).map(({ id }) => id)).toEqual(['a'])
  expect(readdirSync(join(folder, 'half.lance/data'))).not.toContain('0.lance')
})

test('a generation without a format number has the first format and is readable', async () => {
  const folder = tempDir()
  const store = lanceSnippets(folder)
  await writeGeneration(store, 'g1', [row('a', 'lever')])
  store.close()
  const lance = await loadLance()
  const { Schema, Table } = loadArrow()
  const db = await lance.connect(folder)
  for (const name of ['g1', 'g1.statistics']) {
    const table = await db.openTable(name)
    const { schema, batches } = await table.query().toArrow()
    const unnumbered = new Schema(schema.fields)
    await db.createTable(name, new Table(unnumbered, batches), { mode: 'overwrite' })
    expect((await (await db.openTable(name)).schema()).metadata.size).toBe(0)
  }
  const later = lanceSnippets(folder, { format: generationFormat + 1 })
  onTestFinished(() => later.close())
  expect([await later.formatOf('g1'), await later.formatOf('g2')]).toEqual([1, undefined])
  expect((await later.statistics('g1'))?.units).toBe(1)
  expect((await allOf(later.scan('g1'))).map(({ id }) => id)).toEqual(['a'])
})

test('the unfinished generation of a writer with another format is restarted', async () => {
  const folder = tempDir()
  const rows = Array.from({ length: 600 }, (_, n) => row(String(n), 'lever'))
  const older = lanceSnippets(folder)
  await (await older.write('g1')).add(rows)
  older.close()
  const newer = lanceSnippets(folder, { format: generationFormat + 1 })
  onTestFinished(() => newer.close())
  const writer = await newer.write('g1')
  expect(writer.written).toBe(0)
  await writer.add(rows)
  await writer.finish(packStatistics(statisticsBuilder().total()))
  expect([await newer.formatOf('g1'), (await allOf(newer.scan('g1'))).length]).toEqual([generationFormat + 1, 600])
})

test('rows with a column per field, as in formats 1 and 2, are found, read and limited in bytes', async () => {
  const folder = tempDir()
  const rows = [
    row('a', 'lever wheel', { vector: Float32Array.of(1, 0) }),
    row('b', 'spring', { vector: Float32Array.of(0, 1), page: 1 }),
    ...['c', 'd'].map((id) => row(id, 'pulley', { vector: Float32Array.of(1, 1), tokens: 100_000 })),
  ]
  const writer = lanceSnippets(folder)
  await writeGeneration(writer, 'g1', rows)
  writer.close()
  await separateColumns(folder, 'g1', 2)
  const store = lanceSnippets(folder)
  onTestFinished(() => store.close())
  expect(await store.search('g1', [{ term: 'wheel', weight: 1 }], 5, { vectors: true })).toEqual([rows[0]])
  expect((await store.search('g1', [{ term: 'pulley', weight: 1 }], 5))?.length).toBe(1)
  expect((await store.searchVector('g1', Float32Array.of(0, 1), 1))?.map(({ id }) => id)).toEqual(['b'])
  expect(await allOf(store.read('g1', { vectors: true }))).toEqual(rows)
  expect((await store.pages('g1'))?.map(({ snippets }) => snippets)).toEqual([3, 1])
  expect((await store.pageSnippets('g1', 1, { offset: 0, limit: 9 }))?.map(({ id }) => id)).toEqual(['b'])
})

test('the caches of LanceDB stay within their limits when many libraries are searched', async () => {
  const folder = tempDir()
  const writer = lanceSnippets(folder)
  await writeGeneration(
    writer,
    'g0',
    Array.from({ length: 50 }, (_, i) => row(`${i}`, `common word${i}`)),
  )
  writer.close()
  for (let i = 1; i < 25; i++) hardLink(join(folder, 'g0.lance'), join(folder, `g${i}.lance`))
  const session = new (await loadLance()).Session(100_000n, 100_000n)
  const store = lanceSnippets(folder, { session })
  onTestFinished(() => store.close())
  const empty = Number(session.sizeBytes())
  const cached: number[] = []
  for (let i = 0; i < 25; i++) {
    await store.search(`g${i}`, [{ term: 'common', weight: 1 }], 50)
    cached.push(Number(session.sizeBytes()))
  }
  // They would reach 7 MB without limits.
  expect(Math.min(...cached)).toBeGreaterThan(empty)
  expect(Math.max(...cached)).toBeLessThan(2_000_000)
})
