import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { damageContent } from '../fixtures/damage-content.ts'
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

const words = ['lever', 'wheel', 'spring', 'pulley', 'valve', 'piston', 'gear', 'axle', 'bearing', 'crank']
const section = (n: number) =>
  Array.from({ length: 60 }, (_, i) => `${words[(n * 7 + i * 3) % 10]}${n} turns ${words[(n + i) % 10]}${(n * i) % 97}`).join(
    ', ',
  )
const large = page('Large', ...Array.from({ length: 300 }, (_, n) => section(n)))

const parse = async (server: ServerProcess, repo: string) => {
  const { body } = await server.call('POST', '/api/parse', { repoUrl: `${git.url}/${repo}` })
  await until(async () => (await server.job(Number(body.queueId))).finishedAt)
  return Number(body.queueId)
}
const ask = async ({ url }: ServerProcess, libraryId: string, query: string) => {
  const answer = await fetch(`${url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
  return { status: answer.status, body: await answer.text() }
}

/** Memory decides if a read kills the process, so a process that survives all questions is killed while it reads. */
const restartUntilSilent = async (prepared: ReturnType<typeof prepareDir>): Promise<ServerProcess> => {
  for (let starts = 0, deaths = 0; starts < 6; starts++) {
    const server = await startServer(prepared)
    for (let n = 0; n < 300 && server.child.signalCode === null; n++) {
      const answer = await ask(server, '/acme/bad', `${words[n % 10]}${n}`).catch(() => undefined)
      if (answer?.status === 503 && answer.body.includes('Its files are damaged')) return server
    }
    if (server.child.signalCode !== null) deaths++
    expect(deaths).toBeLessThan(2)
    await killWhileAsked(server, '/acme/bad')
  }
  throw new Error('the damage was never noticed')
}

const killWhileAsked = async (server: ServerProcess, libraryId: string) => {
  const askOn = async (n: number): Promise<never> => {
    for (;;) await ask(server, libraryId, `${words[n]}${n}`)
  }
  const asking = Promise.allSettled(Array.from({ length: 8 }, (_, n) => askOn(n)))
  await ask(server, libraryId, 'lever').catch(() => undefined)
  await server.kill()
  await asking
}

test('a damaged file kills the server at most once, then makes only its library unavailable until a refresh', async () => {
  await git.create('acme/bad', { files: { 'a.md': large } })
  await git.create('acme/good', { files: { 'a.md': page('Good', 'A lever turns a wheel.') } })
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  const job = await parse(first, 'acme/bad')
  await parse(first, 'acme/good')
  expect((await ask(first, '/acme/bad', 'lever7 turns')).status).toBe(200)
  expect(await first.end()).toBe(0)
  const tables = await tablesIn(prepared.dataDir)
  const bad = tables.find((name) => name.startsWith(`g${job}-`))?.replace(/(\.statistics)?\.lance$/, '') ?? ''
  damageContent(join(prepared.dataDir, 'snippets'), bad)

  const third = await restartUntilSilent(prepared)
  expect((await ask(third, '/acme/bad', 'lever7')).status).toBe(503)
  expect((await ask(third, '/acme/good', 'lever')).status).toBe(200)
  const warnings = (await third.call('GET', '/api/health')).body.warnings
  expect(warnings).toContainEqual(
    'The files of /acme/bad are damaged and are not read: refresh it, or import it again with force.',
  )
  const { body } = await third.call('POST', '/api/projects/acme/bad/refresh')
  await until(async () => (await third.job(Number(body.queueId))).finishedAt)
  expect((await third.job(Number(body.queueId))).state).toBe('done')
  for (let n = 0; n < 50; n++) expect((await ask(third, '/acme/bad', `lever${n} turns`)).status).toBe(200)
  expect([third.child.exitCode, third.child.signalCode]).toEqual([null, null])
})

test('intact content that was being read when the server was killed is served after the next start', async () => {
  await git.create('acme/healthy', { files: { 'a.md': large } })
  const prepared = prepareDir(git.url)
  const first = await startServer(prepared)
  await parse(first, 'acme/healthy')
  await killWhileAsked(first, '/acme/healthy')
  const second = await startServer(prepared)
  expect((await ask(second, '/acme/healthy', 'lever7 turns')).status).toBe(200)
  expect((await second.call('GET', '/api/health')).body.warnings).not.toContainEqual(expect.stringContaining('damaged'))
})
