import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { limits as productLimits } from '../../../shared/indexing/limits.ts'
import { indexFiles } from '../../../shared/indexing/pages/index-files.ts'
import { readerPool } from '../../../shared/reading/reader-pool.ts'
import { silentProgress } from '../../fixtures/silent-progress.ts'
import { makeCorpus } from '../corpus.ts'
import type { WriteContent } from './add-bench-library.ts'

/** Writes `files` generated pages of four snippets each. */
export async function writeCorpus(root: string, files: number): Promise<void> {
  for (const [path, text] of makeCorpus({ files, bytesPerFile: 2600, seed: 1000 })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

/** Indexes a folder with the real pipeline. */
export const parseFolder =
  (root: string): WriteContent =>
  async (snippets, generation) => {
    const readers = readerPool({ workers: 2, timeMs: 20_000, heapMb: 512, threadBytes: 1e6 })
    const webUrl = 'https://github.com/bench/docs'
    const id = { owner: 'bench', repo: 'docs' }
    const address = {
      platform: 'github' as const,
      host: { name: 'github' },
      id,
      baseUrl: 'https://github.com',
      webUrl,
      cloneUrl: `${webUrl}.git`,
    }
    const limits = { fileBytes: 1e7, files: 1e5, list: productLimits.list }
    const work = { root, address, commit: 'c0ffee', selection: {}, limits, generation, suspects: new Set<string>() }
    try {
      return await indexFiles({ snippets, readers, progress: silentProgress }, work, new AbortController().signal)
    } finally {
      await readers.close()
    }
  }
