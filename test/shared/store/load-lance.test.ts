import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempDir } from '../../fixtures/temp-dir.ts'

const script = new URL('../../fixtures/build-large-table.ts', import.meta.url).pathname

test('60,000 rows of one library are indexed and searched on two cores without a deadlock in LanceDB', async () => {
  const { LANCE_CPU_THREADS: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [script, tempDir()], {
    env,
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  expect(stdout).toBe('3 rows found\n')
})
