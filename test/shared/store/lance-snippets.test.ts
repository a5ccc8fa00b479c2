import { expect, test } from 'vitest'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
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
