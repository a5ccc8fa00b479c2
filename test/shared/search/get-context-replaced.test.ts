import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getContext } from '../../../shared/search/get-context.ts'
import type { Catalog } from '../../../shared/search/libraries/catalog.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

/** A catalog that points to one generation after the other, the last one for ever. */
function pointingTo(...generations: string[]): Pick<Catalog, 'served'> & { asked: number } {
  const library = {
    ...{
      id: '/a/b',
      title: 'B',
      description: '',
      branch: 'main',
      lastUpdateDate: '',
      state: 'finalized' as const,
      totalTokens: 0,
    },
    ...{ totalSnippets: 1, stars: -1, trustScore: -1, benchmarkScore: 0, versions: [], aliases: [], source: 'Local' },
  }
  return {
    asked: 0,
    async served() {
      const generation = generations[Math.min(this.asked, generations.length - 1)] ?? ''
      this.asked += 1
      return { library, version: undefined, ref: '', generation, rules: [] }
    },
  }
}

const listed: Catalog['listed'] = async () => ({ libraries: [], revision: 0 })
const question = { libraryId: { owner: 'a', repo: 'b' }, query: 'lever', tokens: 5000 }

test('a question whose content was replaced meanwhile gets the new content', async () => {
  const snippets = lanceSnippets(tempDir())
  await writeGeneration(snippets, 'new', [row('a', 'lever')])
  const catalog = pointingTo('old', 'new')
  const { snippets: found } = await getContext({ catalog: Object.assign(catalog, { listed }), snippets }, question)
  expect([found.map(({ id }) => id), catalog.asked]).toEqual([['a'], 2])
  snippets.close()
})

test('a question whose content was replaced twice meanwhile is rejected, with the advice to ask again', async () => {
  const snippets = lanceSnippets(tempDir())
  const catalog = pointingTo('old', 'new')
  await expect(getContext({ catalog: Object.assign(catalog, { listed }), snippets }, question)).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    retryAfterMs: 1_000,
    message: 'The content of /a/b is being replaced. Ask again in a moment.',
  })
  expect(catalog.asked).toBe(2)
  snippets.close()
})

test.each([
  ['gone', (folder: string, table: string) => rmSync(join(folder, table), { recursive: true })],
  [
    'damaged',
    (folder: string, table: string) => {
      const data = join(folder, table, 'data')
      for (const file of readdirSync(data)) truncateSync(join(data, file), 40)
    },
  ],
])('content that is %s is reported as lost, with the way to restore it', async (_, damage) => {
  for (const table of ['g1.lance', 'g1.statistics.lance']) {
    const folder = tempDir()
    const written = lanceSnippets(folder)
    await writeGeneration(written, 'g1', [row('a', 'lever')])
    written.close()
    damage(folder, table)
    const snippets = lanceSnippets(folder)
    const catalog = pointingTo('g1')
    await expect(getContext({ catalog: Object.assign(catalog, { listed }), snippets }, question)).rejects.toMatchObject({
      code: 'search_failed',
      message: 'The content of /a/b cannot be read. Ask again in a moment; if that does not help, refresh /a/b.',
    })
    expect(catalog.asked).toBe(2)
    snippets.close()
  }
})
