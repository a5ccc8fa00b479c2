import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { textIndex } from '../../../../onprem/store/text-index/text-index.ts'
import type { ListedLibrary } from '../../../../shared/search/libraries/catalog.ts'
import type { StoredSnippet } from '../../../../shared/search/rows/snippet-store.ts'
import { recordedLog } from '../../../fixtures/recorded-log.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

/** An index of libraries whose chunks are these texts, and a change of their texts. */
function indexed(texts: Record<string, string[]>, dataDir = tempDir()) {
  let revision = 1
  const log = recordedLog()
  const index = textIndex({
    dataDir,
    log,
    catalog: {
      listed: async () => ({ libraries: Object.keys(texts).map((id) => ({ id, title: id }) as ListedLibrary), revision }),
      served: async ({ repo }) => ({ generation: `${repo}-${revision}` }) as never,
    },
    snippets: {
      async *scan(generation) {
        const chunks = texts[`/acme/${generation.split('-')[0]}`] ?? []
        yield chunks.map(
          (content, section) => ({ page: 0, section, breadcrumb: ['Page'], content, path: 'page.md' }) as StoredSnippet,
        )
      },
    },
  })
  onTestFinished(() => index.close())
  const search = async (word: string) => {
    await index.refresh()
    await index.settled()
    return index.ranked(word, Object.keys(texts)).map(({ row }) => index.chunk(row)?.content)
  }
  const change = (changed: Record<string, string[]>) => {
    for (const id of Object.keys(texts)) delete texts[id]
    Object.assign(texts, changed)
    revision += 1
  }
  return { dataDir, index, search, change, log }
}

const sentences = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `Lever${from + n} turns wheel${from + n} with gear${(from + n) % 97}.`.repeat(30))

test('a sweep without an index creates none', async () => {
  const { index, dataDir } = indexed({ '/acme/levers': ['A lever turns.'] })
  await index.sweep()
  expect(readdirSync(dataDir)).toEqual([])
})

test('a sweep erases text that is no longer served from the disk, and indexes nothing', async () => {
  const { index, search, change, dataDir } = indexed({ '/acme/levers': ['Zanzibar turns.'], '/acme/gears': ['Gears turn.'] })
  expect(await search('zanzibar')).toEqual(['Zanzibar turns.'])
  const isHeld = () => readdirSync(dataDir).some((name) => /zanzibar/i.test(readFileSync(join(dataDir, name), 'latin1')))
  expect(isHeld()).toBe(true)
  change({ '/acme/springs': ['Springs turn.'] })
  await index.sweep()
  expect(isHeld()).toBe(false)
  expect(index.isPending('/acme/springs')).toBe(true)
  expect(await search('springs')).toEqual(['Springs turn.'])
})

test('the space of deleted text is given back to the disk', async () => {
  const { index, search, change, dataDir } = indexed({ '/acme/levers': sentences(0, 3_000), '/acme/gears': ['Gears turn.'] })
  expect(await search('wheel7')).toHaveLength(1)
  const bytes = () => statSync(join(dataDir, 'texts.db')).size
  const before = bytes()
  change({ '/acme/gears': ['Gears turn.'] })
  await index.sweep()
  expect(bytes()).toBeLessThan(before / 2)
  expect(await search('gears')).toEqual(['Gears turn.'])
})
