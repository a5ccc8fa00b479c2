import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '../../../shared/indexing/limits.ts'
import { startThread } from '../../../shared/system/start-thread.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

test('threads keep their compiled code for the next start', async () => {
  const [root, cache] = [tempDir(), tempDir()]
  vi.stubEnv('NODE_COMPILE_CACHE', cache)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(join(root, 'small.md'), '# Small\n\nThe lever turns.\n')
  const selection = { folders: [], excludeFolders: [], excludeFiles: [] }
  const thread = startThread(new URL('../../../shared/reading/discover/list-files-worker.ts', import.meta.url))
  thread.postMessage({ documents: { root, selection, limits: limits.documents } })
  expect(await once(thread, 'message')).toMatchObject([{ paths: ['small.md'] }])
  await thread.terminate()
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(5)
})
