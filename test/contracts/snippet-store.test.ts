import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lanceSnippets } from '../../shared/store/lance-snippets.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { row } from './snippet-row.ts'
import { snippetStoreContract, writeGeneration } from './snippet-store.ts'
import { snippetVectorsContract } from './snippet-vectors.ts'

const open = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-lance-'))
  const store = lanceSnippets(folder, { indexedNumbers: 300_000 })
  return {
    store,
    async close() {
      store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

snippetStoreContract('LanceDB', open)
snippetVectorsContract('LanceDB', open)

test('more libraries than tables may be open can be searched at the same time, repeatedly', async () => {
  const store = lanceSnippets(tempDir(), { openAtOnce: 5 })
  const names = Array.from({ length: 30 }, (_, n) => `g${n}`)
  for (const name of names) await writeGeneration(store, name, [row(name, 'lever')])
  for (let round = 0; round < 3; round++) {
    const found = await Promise.all(
      [...names, ...names].map(async (name) => {
        await store.statistics(name)
        return (await store.search(name, [{ term: 'lever', weight: 1 }], 5))?.[0]?.id
      }),
    )
    expect(found).toEqual([...names, ...names])
  }
  store.close()
})

test('a new store finds the rows of another process', async () => {
  const folder = tempDir()
  const writing = lanceSnippets(folder)
  await writeGeneration(writing, 'g1', [row('a', 'lever')])
  writing.close()
  const reading = lanceSnippets(folder)
  expect(await reading.search('g1', [{ term: 'lever', weight: 1 }], 5)).toEqual([row('a', 'lever')])
  reading.close()
})
