import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

const dayMs = 24 * 60 * 60 * 1000
let app: TestInstall
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)

beforeAll(async () => {
  app = await testInstall({ now, limits: { refreshCheckMs: 20, retryPausesMs: [] } })
})
afterAll(() => app.close())

const guide = (text: string) => ({ 'README.md': page('Guide', text) })
const library = async (repo: string) => (await app.json(`/api/projects/${repo}`)).body as Record<string, unknown>
const source = (repo: string, change: object) => app.call('PATCH', `/api/projects/${repo}/source`, change)
const jobsOf = (repo: string) => app.app.jobs.list(1, 50, { q: repo }).jobs.filter(({ kind }) => kind === 'parse')
const idle = (repo: string) => until(() => jobsOf(repo).every(({ finishedAt }) => finishedAt !== null))
const versions = async (repo: string) => (await library(repo)).versions as string[]
const outcomeOf = (repo: string) => app.app.checks.of(`/${repo}`)?.outcome
/** Moves the clock and waits until the library has been checked since. */
const wait = async (repo: string, ms: number) => {
  const before = now().toISOString()
  const dueAt = () => Date.parse(app.app.checks.of(`/${repo}`)?.dueAt ?? '9999')
  // The next round plans by a schedule that has just changed.
  await until(() => dueAt() <= now().getTime() + ms)
  aheadMs += ms
  await until(() => dueAt() > now().getTime() && jobsOf(repo).length > 0)
  await idle(repo)
  return before
}
const requestsTo = (repo: string) => app.git.requests.filter(({ path }) => path.startsWith(`/${repo}.git`)).length

test('a library with a schedule follows its repository, and an unchanged commit costs one request and no job', async () => {
  await app.git.create('acme/daily', { files: guide('It weighs a pound.') })
  await app.parse('acme/daily')
  expect((await source('acme/daily', { schedule: 'daily' })).body).toMatchObject({ schedule: 'daily', tagRule: null })
  const before = requestsTo('acme/daily')
  await wait('acme/daily', 1.1 * dayMs)
  expect(outcomeOf('acme/daily')).toBe('unchanged')
  expect(requestsTo('acme/daily') - before).toBe(2)
  expect(jobsOf('acme/daily')).toHaveLength(1)
  await app.git.commit('acme/daily', { files: guide('It weighs two stones now.') })
  await wait('acme/daily', 1.1 * dayMs)
  expect(jobsOf('acme/daily')).toHaveLength(2)
  expect(await app.context('/acme/daily', 'weighs')).toContain('two stones')
  expect(await library('acme/daily')).toMatchObject({ stale: false, lastCheckedAt: expect.any(String) })
})

test('a library whose schedule is off is not checked, and becomes stale', async () => {
  await app.git.create('acme/still', { files: guide('It rests.') })
  await app.parse('acme/still')
  await source('acme/still', { schedule: 'off' })
  const before = requestsTo('acme/still')
  aheadMs += 31 * dayMs
  await until(() => app.app.checks.of('/acme/still')?.dueAt === undefined)
  expect(requestsTo('acme/still')).toBe(before)
  expect(await library('acme/still')).toMatchObject({ stale: true })
  const { body } = await app.json('/api/projects?stale=true')
  expect((body as { projects: { id: string }[] }).projects.map(({ id }) => id)).toContain('/acme/still')
})

test('a rule for tags makes versions of releases, and the old ones expire except the pinned one', async () => {
  const repo = 'acme/tagged'
  await app.git.create(repo, { files: guide('Release one.'), tags: ['v1.0.0'] })
  await app.git.commit(repo, { files: guide('Release one one.'), tags: ['v1.1.0'] })
  await app.parse(repo, { versions: ['v1.0.0'] })
  await source(repo, { schedule: 'daily', tagRule: { tags: 'v*', keep: 1 } })
  await wait(repo, 1.1 * dayMs)
  expect(await versions(repo)).toEqual(['v1.0.0', 'v1.1.0'])

  await app.git.commit(repo, { files: guide('Release one two.'), tags: ['v1.2.0'] })
  await app.git.commit(repo, { files: guide('Preview of two.'), tags: ['v2.0.0-rc.1'] })
  await wait(repo, 1.1 * dayMs)
  expect(await versions(repo)).toEqual(['v1.0.0', 'v1.2.0'])
  expect(await app.context(`/${repo}@latest`, 'release')).toContain('one two')

  await app.git.commit(repo, { files: guide('Release two.'), tags: ['v2.0.0'] })
  await wait(repo, 1.1 * dayMs)
  expect(await versions(repo)).toEqual(['v1.0.0', 'v1.2.0', 'v2.0.0'])
  expect(await app.context(`/${repo}@latest`, 'release')).toContain('Release two')
  const { body: refused } = await app.call('DELETE', `/api/projects/${repo}@latest`)
  expect(refused).toMatchObject({ error: 'tag_not_found', message: expect.stringContaining('such as v2.0.0') })
  const { body } = await app.json(`/api/projects/${repo}/source`)
  expect(body).toMatchObject({ versions: ['v1.0.0'], versionsByRule: ['v2.0.0', 'v1.2.0'] })
})

test('a tag that moves to another commit is read again', async () => {
  const repo = 'acme/moved'
  await app.git.create(repo, { files: guide('First text.'), tags: ['v1.0.0'] })
  await app.parse(repo, { schedule: 'daily', tagRule: { tags: 'v*' } })
  expect(await app.context(`/${repo}@v1.0.0`, 'text')).toContain('First text')
  const commit = await app.git.commit(repo, { files: guide('Second text.') })
  await git(app.git.folder(repo), ['update-ref', 'refs/tags/v1.0.0', commit])
  await wait(repo, 1.1 * dayMs)
  expect(await app.context(`/${repo}@v1.0.0`, 'text')).toContain('Second text')
})

test('a deleted or private repository keeps its content, and the library shows why it cannot be checked', async () => {
  const repo = 'acme/gone'
  await app.git.create(repo, { files: guide('It was here.') })
  await app.parse(repo, { schedule: 'daily' })
  await app.git.remove(repo)
  const jobs = jobsOf(repo).length
  await wait(repo, 1.1 * dayMs)
  expect(outcomeOf(repo)).toBe('refused')
  expect(jobsOf(repo)).toHaveLength(jobs)
  expect(await library(repo)).toMatchObject({
    checkError: expect.stringMatching(/does not exist or is private.* refresh the library once\./),
  })
  expect(await app.context(`/${repo}`, 'here')).toContain('It was here')
})

test('a host that fails is paused and not asked for each of its libraries', async () => {
  const repos = ['acme/down-1', 'acme/down-2', 'acme/down-3']
  for (const repo of repos) {
    await app.git.create(repo, { files: guide('Up.') })
    await app.parse(repo, { schedule: 'daily' })
    app.git.misbehave(repo, { kind: 'status', status: 503 })
  }
  app.app.settings.change({ 'refresh.parallel': 1 })
  for (const repo of repos) await source(repo, { schedule: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' } })
  await until(() => repos.every((repo) => app.app.checks.of(`/${repo}`)?.dueAt?.endsWith('00:00.000Z')))
  const before = repos.map(requestsTo)
  aheadMs += 1.1 * dayMs
  await until(() => repos.every((repo) => ['failed', 'paused'].includes(outcomeOf(repo) ?? '')))
  const asked = repos.map((repo, i) => requestsTo(repo) - (before[i] ?? 0))
  expect(asked.filter((requests) => requests > 0)).toHaveLength(1)
  for (const repo of repos) app.git.misbehave(repo)
  aheadMs += 0.2 * dayMs
  await until(() => repos.every((repo) => outcomeOf(repo) === 'unchanged'))
})
