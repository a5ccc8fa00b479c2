import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sqliteCatalog } from '../../../onprem/store/catalog/sqlite-catalog.ts'
import type { VectorSpace } from '../../../shared/ai/embedder.ts'
import { limits as productLimits } from '../../../shared/indexing/limits.ts'
import { indexFiles } from '../../../shared/indexing/pages/index-files.ts'
import { readerPool } from '../../../shared/reading/reader-pool.ts'
import { packRows } from '../../../shared/search/rows/pack-rows.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { silentProgress } from '../../fixtures/silent-progress.ts'
import type { Library } from '../documentation.ts'
import { randomFrom } from '../random.ts'

/** Writes libraries with the real pipeline, from folders instead of clones, with random vectors if a space is given. */
export async function fill(
  dataDir: string,
  libraries: Library[],
  space?: VectorSpace,
): Promise<{ ids: string[]; snippets: number }> {
  const db = openDatabase(dataDir)
  const catalog = sqliteCatalog(db, () => new Date())
  const snippets = lanceSnippets(join(dataDir, 'snippets'))
  const store = space ? withVectors(snippets, space.dimensions) : snippets
  const readers = readerPool({ workers: 2, timeMs: 20_000, heapMb: 512, threadBytes: 1e6 })
  const ids: string[] = []
  let total = 0
  for (const [number, { name, files }] of libraries.entries()) {
    const root = join(dataDir, 'sources', String(number))
    await writeFiles(root, files)
    const id = { owner: 'bench', repo: name }
    const webUrl = `https://github.com/bench/${name}`
    const generation = generationOf(number)
    const work = {
      root,
      address: {
        platform: 'github' as const,
        host: { name: 'github' },
        id,
        baseUrl: 'https://github.com',
        webUrl,
        cloneUrl: `${webUrl}.git`,
      },
      commit: 'bench',
      selection: {},
      limits: { fileBytes: 1e7, files: 1e5, list: productLimits.list },
      generation,
      suspects: new Set<string>(),
    }
    const report = await indexFiles({ snippets: store, readers, progress: silentProgress }, work, new AbortController().signal)
    const facts = { title: name, description: '', branch: 'main', private: false, aliases: [], settings: {} }
    const content = {
      rules: [],
      format: snippets.format,
      tokens: report.tokens,
      snippets: report.snippets,
      codeSnippets: report.codeSnippets,
      ...(space ? { space } : {}),
    }
    catalog.reserve(generation, 0)
    catalog.publish({ id: `/bench/${name}`, sourceUrl: webUrl, ...facts }, [
      { version: '', ref: 'main', generation, commit: 'bench', ...content },
    ])
    await rm(root, { recursive: true, force: true })
    ids.push(`/bench/${name}`)
    total += report.snippets
  }
  await readers.close()
  snippets.close()
  db.close()
  return { ids, snippets: total }
}

/** Generation of a library by its position. */
export const generationOf = (number: number): string => `bench-${number}`

function withVectors(snippets: SnippetStore, dimensions: number): Pick<SnippetStore, 'write'> {
  const random = randomFrom(5)
  const vector = () => Float32Array.from({ length: dimensions }, () => random() - 0.5)
  return {
    async write(generation) {
      const writer = await snippets.write(generation)
      return {
        ...writer,
        add: (rows) => {
          const packed = Array.isArray(rows) ? packRows(rows) : rows
          return writer.add({ ...packed, vectors: Array.from({ length: packed.length }, vector) })
        },
      }
    },
  }
}

async function writeFiles(root: string, files: Map<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}
