import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../fixtures/git-server.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { until } from '../fixtures/until.ts'

/** The programs that work in the data directory, such as a `git fetch`. */
const programsIn = (dataDir: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(dataDir)
      } catch {
        return false
      }
    })

test('a terminal that closes during a fetch, a stream and a download ends all of them, and the next server continues', async () => {
  const git = await startGitServer()
  onTestFinished(() => git.close())
  await git.create('acme/docs', { files: { 'README.md': '# Acme\n\nAcme is a library that paints walls.\n' } })
  git.misbehave('acme/docs', { kind: 'stall', at: 'pack' })
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const headers = { authorization: `Bearer ${prepared.key}` }
  const id = Number((await first.call('POST', '/api/parse', { repoUrl: 'acme/docs' })).body.queueId)
  await until(() => programsIn(prepared.dataDir).length > 0)
  const events = await fetch(`${first.url}/api/events`, { headers })
  const backup = await fetch(`${first.url}/api/backup`, { headers })
  expect([events.status, backup.status]).toEqual([200, 200])
  const exited = once(first.child, 'exit')
  first.child.kill('SIGHUP')
  expect(await exited).toEqual([0, null])
  await Promise.allSettled([events.arrayBuffer(), backup.arrayBuffer()])
  expect(existsSync(join(prepared.dataDir, 'server.json'))).toBe(false)
  await until(() => programsIn(prepared.dataDir).length === 0)

  git.misbehave('acme/docs')
  const second = await startServer(prepared)
  await until(async () => (await second.job(id)).state === 'done')
})

test('a server that stops during the download of a backup prints nothing on stderr', async () => {
  const prepared = prepareDir('http://127.0.0.1:9')
  const stderr = join(tempDir(), 'stderr')
  const server = await startServer({ ...prepared, before: `exec 2>'${stderr}'` })
  mkdirSync(join(prepared.dataDir, 'vendor'))
  // The file is larger than the connection's buffers.
  writeFileSync(join(prepared.dataDir, 'vendor', 'a'), randomBytes(40_000_000))
  const backup = await fetch(`${server.url}/api/backup`, { headers: { authorization: `Bearer ${prepared.key}` } })
  expect(backup.status).toBe(200)
  expect(await server.end()).toBe(0)
  await expect(backup.arrayBuffer()).rejects.toThrow()
  expect(readFileSync(stderr, 'utf8')).toBe('')
})
