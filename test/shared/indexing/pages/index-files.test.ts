import { linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../../shared/indexing/limits.ts'
import { indexFiles } from '../../../../shared/indexing/pages/index-files.ts'
import { emptyReport } from '../../../../shared/indexing/pages/index-report.ts'
import { defaultGitHosts } from '../../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../../shared/reading/git/repo-address.ts'
import { readerPool } from '../../../../shared/reading/reader-pool.ts'
import { lanceSnippets } from '../../../../shared/store/lance-snippets.ts'
import { silentProgress } from '../../../fixtures/silent-progress.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { writeTree } from '../../../fixtures/write-tree.ts'

/** A separate clone with the store and the readers that it needs. */
function clone({ fileBytes = 10_000, files = 1000 } = {}) {
  const snippets = lanceSnippets(tempDir())
  const readers = readerPool({ workers: 1, timeMs: 20_000, heapMb: 64, threadBytes: 1e6 })
  onTestFinished(async () => {
    snippets.close()
    await readers.close()
  })
  const root = tempDir()
  const job = {
    root,
    address: parseRepoUrl('https://github.com/acme/docs', defaultGitHosts),
    commit: 'c0ffee',
    selection: {},
    limits: { fileBytes, files, list: limits.list },
    generation: 'docs',
    suspects: new Set<string>(),
  }
  const report = emptyReport()
  const read = () => indexFiles({ snippets, readers, progress: silentProgress }, job, new AbortController().signal, report)
  return { root, snippets, report, read }
}

test('a page with fifty copies is listed and found on each page, and its words stay rare', async () => {
  const { root, snippets, read } = clone()
  const readme = '# Sundial\n\nHow to read the time.\n\n## Deploy\n\nPut the sundial where the sun shines.\n'
  writeTree(root, {
    ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`A${n}/README.md`, readme])),
    'README.md': readme,
    'hours.md': '# Hours\n\nThe gnomon throws a shadow on the hour lines.\n',
  })
  const report = await read()
  expect(report).toMatchObject({ filesRead: 52, snippets: 103 })
  expect(await snippets.pages('docs')).toHaveLength(52)
  const statistics = await snippets.statistics('docs')
  expect(statistics).toMatchObject({ chunks: 3, pages: 52 })
  expect(statistics?.documentFrequency('deploi')).toBe(1)
  const [found] = (await snippets.search('docs', [{ term: 'gnomon', weight: 1 }], 5)) ?? []
  expect(statistics?.pagesWith('gnomon')?.pages).toEqual(Uint32Array.of(found?.page ?? -1))
})

test('a clone with more than a hundred thousand files that are too large is reported as such', async () => {
  const { root, report, read } = clone({ fileBytes: 4, files: 10 })
  const count = 130_000
  // A file takes some 65,000 links.
  for (let n = 0; n < count; n++) {
    const first = n - (n % 50_000)
    if (n === first) writeFileSync(join(root, `${n}.md`), 'large')
    else linkSync(join(root, `${first}.md`), join(root, `${n}.md`))
  }
  await expect(read()).rejects.toThrow('The repository holds no documentation that can be read. 130000 files had to be skipped')
  expect(report.skipped).toHaveLength(count)
})
