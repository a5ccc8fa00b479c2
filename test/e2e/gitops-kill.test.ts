import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetInterruptions } from '../fixtures/forget-interruptions.ts'
import { type GitServer, startGitServer } from '../fixtures/git-server.ts'
import { page } from '../fixtures/page.ts'
import { prepareDir, startServer } from '../fixtures/server-process.ts'
import { until } from '../fixtures/until.ts'

let git: GitServer

beforeAll(async () => {
  git = await startGitServer()
})
afterAll(() => git.close())

test('a server that is killed during a reconcile has applied all or nothing, and continues at its start', async () => {
  const names = Array.from({ length: 6 }, (_, at) => `kill/docs${at}`)
  for (const name of names) await git.create(name, { files: { 'README.md': page('Guide', `The lever of ${name} turns.`) } })
  const libraries = names.map((name) => `  - url: ${git.url}/${name}\n`).join('')
  const commit = await git.create('kill/install', { files: { 'carrel.yaml': `libraries:\n${libraries}` } })
  const prepared = prepareDir(git.url, undefined, { 'gitops.repository': `${git.url}/kill/install` })
  const { promise: reached, resolve: held } = Promise.withResolvers<void>()
  git.misbehave('kill/install', { kind: 'hold', at: 'pack', until: new Promise(() => undefined), held })
  let server = await startServer(prepared)
  await reached
  await server.kill()
  git.misbehave('kill/install')
  for (let kills = 0; kills < 3; kills++) {
    server = await startServer(prepared)
    await sleep(kills * 150)
    await server.kill()
    forgetInterruptions(prepared.dataDir)
  }
  server = await startServer(prepared)
  const isIdle = async () => {
    const { commit: applied } = (await server.call('GET', '/api/gitops/status')).body
    const { activeParses } = (await server.call('GET', '/api/parse-status')).body
    return applied === commit && Object.keys(activeParses as object).length === 0
  }
  await until(isIdle, 60)
  expect((await server.call('GET', '/api/gitops/status')).body).toMatchObject({ libraries: 6, drift: [], failed: null })
  const { jobs } = (await server.call('GET', '/api/jobs')).body as { jobs: { project: string; kind: string }[] }
  expect(
    jobs
      .filter(({ kind }) => kind === 'parse')
      .map(({ project }) => project)
      .sort(),
  ).toEqual(names.map((name) => `/${name}`))
  await server.kill()
})
