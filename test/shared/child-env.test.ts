import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { splitPool } from '../../shared/ingest/split-pool.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/test-install.ts'

const address = {
  platform: 'github' as const,
  id: { owner: 'a', repo: 'b' },
  baseUrl: 'https://github.com',
  webUrl: 'https://github.com/a/b',
  cloneUrl: 'https://github.com/a/b.git',
}

test('readers keep their compiled code for the next start', async () => {
  const [root, cache] = [tempDir(), tempDir()]
  vi.stubEnv('NODE_COMPILE_CACHE', cache)
  onTestFinished(() => void vi.unstubAllEnvs())
  const pool = splitPool({ workers: 1, timeMs: 20_000, heapMb: 64, threadBytes: 1e7 })
  onTestFinished(() => pool.close())
  writeFileSync(join(root, 'small.md'), '# Small\n\nThe lever turns.\n')

  expect(await pool.split({ root, path: 'small.md', address, commit: 'c', fileBytes: 1_000 })).not.toHaveProperty('skipped')
  await pool.rest()
  await until(() => readdirSync(cache, { recursive: true }).length > 20)
})
