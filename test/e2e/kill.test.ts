import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../shared/store/database.ts'
import { forgetInterruptions } from '../fixtures/forget-interruptions.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { tablesIn } from '../fixtures/tables-in.ts'
import { until } from '../fixtures/until.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

const pages = 150
const edition = (word: string) =>
  Object.fromEntries(
    Array.from({ length: pages }, (_, n) => [
      `docs/page-${n}.md`,
      page(`Page ${n}`, ...Array.from({ length: 6 }, (_, part) => `The ${word} lever ${n}-${part} turns wheel ${n * part}.`)),
    ]),
  )

test('a server that is killed at ten moments of a parse loses and corrupts nothing', async () => {
  await git.create('kill/nine', { files: edition('first') })
  const prepared = prepareDir(git.url)
  const { dataDir } = prepared
  const start = () => startServer(prepared)
  const commits = [await git.commit('kill/nine', { files: edition('edition0') })]
  let server = await start()
  const queue = async () => (await server.call('POST', '/api/parse', { repoUrl: `${git.url}/kill/nine` })).body.queueId as number
  const isIdle = async () => Object.keys((await server.call('GET', '/api/parse-status')).body.activeParses as object).length === 0

  await queue()
  await until(isIdle)
  for (let kills = 0; kills < 10; kills++) {
    if (await isIdle()) {
      commits.push(await git.commit('kill/nine', { files: edition(`edition${commits.length}`) }))
      await queue()
    }
    const [answer] = await Promise.all([server.context('/kill/nine', 'which lever turns the wheel'), sleep((kills * 137) % 700)])
    expect(editionOf(answer)).toBeOneOf(commits.slice(-2))
    await server.kill()
    forgetInterruptions(dataDir)
    server = await start()
    expect(editionOf(await server.context('/kill/nine', 'which lever turns the wheel'))).toBeOneOf(commits.slice(-2))
  }
  await until(isIdle)

  expect(editionOf(await server.context('/kill/nine', 'which lever turns the wheel'))).toBe(commits.at(-1))
  const { jobs } = (await server.call('GET', '/api/jobs')).body as {
    jobs: { state: string; report: { snippetsAfter: number; skipped: unknown[] } }[]
  }
  expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['done']))
  expect(jobs[0]?.report).toMatchObject({ snippetsAfter: pages * 6, skipped: [] })
  expect(await server.end()).toBe(0)
  expect(readdirSync(join(dataDir, 'clones'))).toEqual([])
  const db = openDatabase(dataDir)
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  for (const table of ['files_in_hand', 'file_crashes'])
    expect(db.prepare(`SELECT count(*) AS files FROM ${table}`).get(), table).toEqual({ files: 0 })
  const generations = db
    .prepare('SELECT name FROM generations')
    .all()
    .map(({ name }) => String(name))
  db.close()
  const tables = generations.flatMap((name) => [`${name}.lance`, `${name}.statistics.lance`])
  expect(await tablesIn(dataDir)).toEqual(tables.sort())
  expect(generations).toHaveLength(commits.length)
})

/** The commit of all passages in an answer, which must be the same. */
function editionOf(answer: string): string | undefined {
  const commits = new Set([...answer.matchAll(/\/blob\/([0-9a-f]{40})\//g)].map(([, commit]) => commit))
  expect(commits.size, answer.slice(0, 300)).toBe(1)
  return [...commits][0]
}

test('a file that kills the server at each read is read alone in a separate process after three crashes, and the library is served', async () => {
  // So many pages that a reader receives the file together with others.
  await git.create('kill/poison', {
    files: {
      ...edition('steel'),
      'a.md': page('First', 'The lever turns.'),
      'poison.md': page('Poison', 'The arsenic waits.'),
      'z.md': page('Last', 'The wheel stands.'),
    },
  })
  const prepared = prepareDir(git.url)
  const hook = { NODE_OPTIONS: `--import ${new URL('../fixtures/die-at-poison.mjs', import.meta.url)}` }
  const died = ({ child }: ServerProcess) => until(() => child.signalCode)
  let server = await startServer(prepared, hook)
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/kill/poison` })
  for (let crash = 0; crash < 3; crash++) {
    await died(server)
    server = await startServer(prepared, hook)
  }
  await until(async () => (await server.job(Number(body.queueId))).finishedAt)
  const job = await server.job(Number(body.queueId))
  expect([job.state, job.report?.filesRead, job.report?.skipped]).toEqual(['done', pages + 3, []])
  expect(job.log.map(({ line }) => line)).toContain('Run 1, after 3 interruptions.')
  expect(await server.context('/kill/poison', 'arsenic')).toContain('The arsenic waits.')
})

test('a file that exceeds its limits even when read separately does not kill the server at the next parse', async () => {
  // Small enough for a thread, but with a syntax tree of hundreds of megabytes.
  const hungry = '- a\n'.repeat(249_000)
  await git.create('kill/again', { files: { 'a.md': page('First', 'The lever turns.'), 'poison.md': hungry } })
  const prepared = prepareDir(git.url)
  const hook = { NODE_OPTIONS: `--import ${new URL('../fixtures/die-at-poison.mjs', import.meta.url)}` }
  let server = await startServer(prepared, hook)
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/kill/again` })
  for (let crash = 0; crash < 3; crash++) {
    const { child } = server
    await until(() => child.signalCode)
    server = await startServer(prepared, hook)
  }
  const skipped = async (id: unknown) => {
    await until(async () => (await server.job(Number(id))).finishedAt)
    return (await server.job(Number(id))).report?.skipped
  }
  const reason = expect.stringMatching(/^it (needs more than 256 MB of memory|took longer than 20 s) to parse$/)
  expect(await skipped(body.queueId)).toEqual([{ path: 'poison.md', reason }])
  await git.commit('kill/again', { files: { 'a.md': page('First', 'The wheel stands.') } })
  const { body: again } = await server.call('POST', '/api/projects/kill/again/refresh')
  expect(await skipped(again.queueId)).toEqual([{ path: 'poison.md', reason }])
  expect(await server.context('/kill/again', 'wheel')).toContain('The wheel stands.')
})
