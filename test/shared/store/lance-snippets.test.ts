import { globSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packStatistics } from '../../../shared/search/statistics/pack-statistics.ts'
import { statisticsBuilder } from '../../../shared/search/statistics/statistics-builder.ts'
import { generationFormat } from '../../../shared/store/generation-format.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { loadLance } from '../../../shared/store/load-lance.ts'
import { row } from '../../contracts/snippet-row.ts'
import { allOf, writeGeneration } from '../../contracts/snippet-store.ts'
import { hardLink } from '../../fixtures/hard-link.ts'
import { markAsUnreleased } from '../../fixtures/mark-as-unreleased.ts'
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

test('a generation of an unreleased version is not read, and is left as it is', async () => {
  const folder = tempDir()
  const store = lanceSnippets(folder)
  await writeGeneration(store, 'g1', [row('a', 'lever')])
  store.close()
  await markAsUnreleased(folder, ['g1'])
  const files = () => globSync('**/*', { cwd: folder }).toSorted()
  const before = files()
  const later = lanceSnippets(folder)
  onTestFinished(() => later.close())
  const unreleased = {
    code: 'search_failed',
    message: expect.stringMatching(/^It was written by an unreleased version of Carrel\./),
  }
  for (const read of [
    () => later.formatOf('g1'),
    () => later.statistics('g1'),
    () => later.search('g1', [{ term: 'lever', weight: 1 }], 1),
    () => later.pages('g1'),
    () => allOf(later.scan('g1')),
    () => later.packedStatistics('g1'),
    () => later.write('g1'),
  ])
    await expect(read()).rejects.toMatchObject(unreleased)
  expect([files(), later.damaged()]).toEqual([before, []])
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
