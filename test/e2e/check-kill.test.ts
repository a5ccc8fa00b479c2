import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { libraryChecks } from '../../onprem/store/library-checks.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { forgetInterruptions } from '../fixtures/forget-interruptions.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, type ServerProcess, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

const libraries = 12
const names = Array.from({ length: libraries }, (_, at) => `kill/docs${at}`)
let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

const jobsOf = async (server: ServerProcess) =>
  (await server.call('GET', '/api/jobs')).body.jobs as { project: string; kind: string; state: string }[]
const isIdle = async (server: ServerProcess) => (await jobsOf(server)).every(({ state }) => state === 'done')
const checksIn = (dataDir: string) => {
  const db = openDatabase(dataDir)
  const checks = libraryChecks(db).all()
  db.close()
  return checks
}

test('a server that is killed during checks makes each of them, loses no schedule, and reads a change once', async () => {
  for (const name of names)
    await git.create(name, { files: { 'README.md': page('Guide', `The lever of ${name} turns.`) }, tags: ['v1'] })
  const prepared = prepareDir(git.url, undefined, { 'refresh.schedule': 'off', 'refresh.parallel': 2 })
  let server = await startServer(prepared)
  for (const name of names) {
    const source = { repoUrl: `${git.url}/${name}`, versions: ['v1'], schedule: 'daily' }
    expect((await server.call('POST', '/api/parse', source)).status).toBe(202)
  }
  await until(() => isIdle(server), 120)
  await server.end()

  const commit = await git.commit('kill/docs7', { files: { 'README.md': page('Guide', 'The lever is a wheel now.') } })
  const due = new Date()
  const db = openDatabase(prepared.dataDir)
  for (const name of names) libraryChecks(db).postpone(`/${name}`, due)
  db.close()
  const isDue = (name: string) => Date.parse(checksIn(prepared.dataDir).get(`/${name}`)?.dueAt ?? '') <= due.getTime()
  const { promise: reached, resolve: held } = Promise.withResolvers<void>()
  git.misbehave('kill/docs3', { kind: 'hold', until: new Promise(() => undefined), held })
  server = await startServer(prepared)
  await reached
  await server.kill()
  git.misbehave('kill/docs3')
  expect(isDue('kill/docs3')).toBe(true)
  for (let kills = 0; kills < 4; kills++) {
    server = await startServer(prepared)
    await sleep(kills * 100)
    await server.kill()
    forgetInterruptions(prepared.dataDir)
  }

  server = await startServer(prepared)
  await until(() => !names.some(isDue), 120)
  await until(() => isIdle(server), 60)
  const checks = checksIn(prepared.dataDir)
  for (const name of names) {
    const { body } = await server.call('GET', `/api/projects/${name}`)
    expect(body).toMatchObject({ versions: ['v1'], nextCheckAt: expect.any(String), stale: false })
    expect((await server.call('GET', `/api/projects/${name}/source`)).body).toMatchObject({ schedule: 'daily' })
    const { outcome } = checks.get(`/${name}`) ?? {}
    expect(outcome).toBe(name === 'kill/docs7' ? 'refreshed' : 'unchanged')
  }
  expect((await server.call('GET', '/api/projects/kill/docs7')).body).toMatchObject({ commit })
  expect(await server.context('/kill/docs7', 'lever')).toContain('a wheel now')
  const parses = (await jobsOf(server)).filter(({ kind }) => kind === 'parse').map(({ project }) => project)
  expect(parses.sort()).toEqual([...names, 'kill/docs7'].map((name) => `/${name}`).sort())
  await server.kill()
})
