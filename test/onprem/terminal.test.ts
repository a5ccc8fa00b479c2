import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childEnv } from '../../shared/system/child-env.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { type PreparedDir, prepareDir, runServer, startServer } from '../fixtures/server-process.ts'
import { startOnTerminal } from '../fixtures/start-on-terminal.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const esc = '\u001B'
/** Shows where a line was erased. */
const marked = (screen: string) => screen.replaceAll(`\r${esc}[K`, '<erased>')
let git: GitServer
beforeAll(async () => {
  git = await startGitServer()
  await git.create('acme/slow', { files: { 'README.md': '# Slow\n\nThe lever turns slowly.\n' } })
})
afterAll(() => git.close())

const parse = async (url: string, { key }: PreparedDir) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ repoUrl: `${git.url}/acme/slow` })
  expect((await fetch(`${url}/api/parse`, { method: 'POST', headers, body })).status).toBe(202)
}

test('a server on a terminal prints its address, the first commands, lines for people and the running job', async () => {
  const prepared = prepareDir(git.url)
  const server = await startOnTerminal(prepared.dataDir)
  const start = stripVTControlCharacters(server.screen())
  expect(start).toContain(`Carrel is running at ${server.url}`)
  expect(start).toContain('sign in as admin with the password admin')
  for (const step of ['add honojs/website', 'ask /honojs/website "', `carrel ${server.url}/mcp`]) expect(start).toContain(step)
  expect(start).toContain(`DATA_DIR=${prepared.dataDir} npm run -s carrel -- add`)
  expect(start).toMatch(/\[\d\d:\d\d:\d\d\] INFO: listening/)
  expect(start).not.toContain('"level"')
  git.misbehave('acme/slow', { kind: 'stall', at: 'refs' })
  await parse(server.url, prepared)
  await expect
    .poll(server.screen)
    .toContain(`\r${esc}[K/acme/slow Asking the host ${new URL(git.url).host} for branches and tags, 0 s`)
  const before = server.screen().length
  await fetch(`${server.url}/api/v2/context?libraryId=/acme/none&query=x`)
  // A log line erases the line of the job, which is drawn again below.
  await expect
    .poll(() => marked(server.screen().slice(before)))
    .toMatch(/<erased>[^\r\n]*INFO[^\r\n]*request[^\r\n]*\r?\n<erased>\/acme\/slow /)
  server.type('\u0003')
  expect(await server.ended()).toBe(0)
  expect(marked(server.screen())).toMatch(/<erased>[^\r\n]*INFO[^\r\n]*job[^\r\n]*"state":"queued"[^\r\n]*\r?\n$/)
})

test('the line of a job fits a narrow terminal, and has no colour with NO_COLOR', async () => {
  const prepared = prepareDir(git.url)
  const server = await startOnTerminal(prepared.dataDir, { NO_COLOR: '1' }, 30)
  git.misbehave('acme/slow', { kind: 'stall', at: 'refs' })
  await parse(server.url, prepared)
  await expect.poll(server.screen).toMatch(/\[K[^\r\n]+, \d|Asking/)
  expect(server.screen()).not.toContain(`${esc}[3`)
  const drawn = server
    .screen()
    .split(`\r${esc}[K`)
    .slice(1)
    .map((line) => line.split(/[\r\n]/)[0] ?? '')
  for (const line of drawn) if (!line.includes('INFO')) expect(line.length).toBeLessThan(30)
  server.type('\u0003')
  expect(await server.ended()).toBe(0)
})

test('a terminal without control sequences gets none, and gets lines about the job', async () => {
  const prepared = prepareDir(git.url)
  const server = await startOnTerminal(prepared.dataDir, { TERM: 'dumb' })
  git.misbehave('acme/slow', { kind: 'stall', at: 'refs' })
  await parse(server.url, prepared)
  await expect.poll(server.screen).toMatch(/INFO: job progress .*"stage":"Asking the host/)
  expect(server.screen()).not.toContain(esc)
  server.type('\u0003')
  expect(await server.ended()).toBe(0)
})

test('a server in a pipe prints JSON lines, with one about the running job, and LOG_LEVEL=debug adds polls', async () => {
  const prepared = prepareDir(git.url)
  const server = await startServer(prepared, { LOG_LEVEL: 'debug' })
  git.misbehave('acme/slow', { kind: 'stall', at: 'refs' })
  await parse(server.url, prepared)
  await server.call('GET', '/api/parse-status')
  await expect.poll(server.output).toContain('"msg":"job progress"')
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toContainEqual(
    expect.objectContaining({ job: 1, project: '/acme/slow', stage: expect.any(String), filesDone: 0, msg: 'job progress' }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ level: 20, path: '/api/parse-status', msg: 'request' }))
  expect(await server.end()).toBe(0)
})

test('a LOG_LEVEL that does not exist stops the start with a sentence', async () => {
  expect(await runServer({ PORT: '0', DATA_DIR: tempDir(), LOG_LEVEL: 'loud' })).toEqual({
    code: 1,
    stderr: 'carrel: LOG_LEVEL is "loud" and must be error, warn, info or debug.\n',
  })
})

test('a missing git is a warning in the log and in health', async () => {
  const bin = join(tempDir(), 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  symlinkSync('/bin/sh', join(bin, 'sh'))
  const server = await startServer(prepareDir(git.url), { PATH: bin })
  const sentence = /^git is not installed, so no repository can be fetched\. Install git 2\.32 or later/
  const warnings = async () => (await server.call('GET', '/api/health')).body.warnings
  await expect.poll(warnings).toContainEqual(expect.stringMatching(sentence))
  await server.end()
})

test('a server whose reader leaves after one line continues', async () => {
  const root = new URL('../..', import.meta.url).pathname
  const child = spawn(process.execPath, ['onprem/main.ts'], {
    cwd: root,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, PORT: '0', DATA_DIR: tempDir(), ...childEnv() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url = JSON.parse(line).url ?? ''
    if (url !== '') break
  }
  child.stdout.destroy()
  for (let n = 0; n < 20; n++) expect((await fetch(`${url}/api/projects`)).status).toBe(200)
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})
