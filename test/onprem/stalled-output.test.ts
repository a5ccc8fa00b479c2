import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { childEnv } from '../../shared/system/child-env.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
test('a server whose log nobody reads serves requests, and ends on SIGTERM', async () => {
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: tempDir(), ...childEnv() }
  const child = spawn(process.execPath, ['onprem/main.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url = (JSON.parse(line) as { url?: string }).url ?? ''
    if (url !== '') break
  }
  child.stdout.pause()
  // The lines of more than a megabyte, which is what waits in the process.
  for (let n = 0; n < 150; n++)
    await Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${url}/${'p'.repeat(400)}`)).arrayBuffer()))
  expect((await fetch(`${url}/api/health`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})
