import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packStatistics, statisticsBuilder } from '../../../shared/search/statistics.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { allOf, writeGeneration } from '../../contracts/snippet-store.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('a crowd is answered in the order it asked: no search waits while later ones overtake it', async () => {
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

test('what a writer leaves that is killed before its first batch is there is begun anew', async () => {
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
