import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '../../../shared/indexing/limits.ts'
import { listFiles } from '../../../shared/reading/discover/list-files.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('threads keep their compiled code for the next start', async () => {
  const [root, cache] = [tempDir(), tempDir()]
  vi.stubEnv('NODE_COMPILE_CACHE', cache)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(join(root, 'small.md'), '# Small\n\nThe lever turns.\n')
  const selection = { folders: [], excludeFolders: [], excludeFiles: [] }
  const listing = { documents: { root, selection, limits: limits.documents } }
  const { paths } = await listFiles(listing, limits.list, new AbortController().signal)
  expect(paths).toEqual(['small.md'])
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(5)
})
