import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { catalogSnapshot } from '../../../functions/catalog/catalog-snapshot.ts'
import { dynamoChecks } from '../../../functions/dynamo/catalog/dynamo-checks.ts'
import { type CheckRoundPorts, checkRound } from '../../../functions/freshness/check-round.ts'
import { planAgain } from '../../../functions/freshness/plan-again.ts'
import { folderObjects } from '../../../functions/objects/folder-objects.ts'
import { workLibrary } from '../../../functions/worker/work-library.ts'
import { hostPauses } from '../../../shared/freshness/host-pauses.ts'
import type { SourceSettings } from '../../../shared/indexing/indexing-catalog.ts'
import { parseLibraryId } from '../../../shared/library.ts'
import { type TestWorker, testWorker } from '../../fixtures/hosted-worker.ts'
import { page } from '../../fixtures/page.ts'

const dayMs = 24 * 3_600_000
const minuteMs = 60_000
let worker: TestWorker
let ports: CheckRoundPorts
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)

beforeAll(async () => {
  worker = await testWorker()
  const { catalog, gitAccess, gitHosts, jobs, log, queue } = worker.ports
  const objects = folderObjects(`${worker.folder}/objects`, async () => '')
  ports = {
    catalog,
    gitAccess,
    gitHosts,
    jobs,
    log,
    queue,
    now,
    names: { listed: () => catalogSnapshot({ catalog, objects, refreshMs: 0, now: worker.ports.now, log }).listed() },
    checks: dynamoChecks(worker.table),
    probeMs: 5_000,
    hosts: hostPauses(now),
    defaultSchedule: () => 'weekly',
    maxJobs: 2,
  }
})
afterAll(() => worker.close())
beforeEach(() => {
  worker.sent.length = 0
})

const guide = (text: string) => ({ 'README.md': page('Guide', text) })
const work = (key: string) => workLibrary(worker.ports, key, new AbortController().signal)
const requestsTo = (repo: string) => worker.git.requests.filter(({ path }) => path.startsWith(`/${repo}.git`)).length
const check = (repo: string) => dynamoChecks(worker.table).find(`/${repo}`)
const round = (changes: Partial<CheckRoundPorts> = {}) => checkRound({ ...ports, ...changes })

/** Adds a library and plans its checks. */
async function add(repo: string, settings: SourceSettings = {}) {
  await worker.git.create(repo, { files: guide('The lever turns.') })
  expect(await work(await worker.queue(repo))).toBe('finalized')
  await worker.ports.catalog.changeSettings(parseLibraryId(`/${repo}`), (before) => ({ ...before, ...settings }))
  await round()
  worker.sent.length = 0
}

/** Moves the clock to the next check of a library. */
async function wait(repo: string) {
  aheadMs = Date.parse((await check(repo))?.dueAt ?? '') - Date.now() + 1_000
}

test('an unchanged library costs two requests and no job, and a changed one is refreshed as a caller refreshes it', async () => {
  await add('due/daily', { schedule: 'daily' })
  const planned = Date.parse((await check('due/daily'))?.dueAt ?? '')
  expect(planned - now().getTime()).toBeLessThan(dayMs + 60 * minuteMs)
  await wait('due/daily')
  const before = requestsTo('due/daily')
  expect(await round()).toMatchObject({ unchanged: 1, queued: 0 })
  expect([requestsTo('due/daily') - before, worker.sent]).toEqual([2, []])
  expect(await check('due/daily')).toMatchObject({ outcome: 'unchanged', failures: 0, schedule: 'daily' })
  expect(await round()).toMatchObject({ unchanged: 0 })

  await worker.git.commit('due/daily', { files: guide('The lever is a wheel now.') })
  await wait('due/daily')
  expect(await round()).toMatchObject({ queued: 1 })
  expect(worker.sent).toEqual([['/due/daily', 0]])
  const job = await ports.jobs.active()
  expect(job).toMatchObject([{ project: '/due/daily', request: { force: false, anonymous: true } }])
  expect(await work('/due/daily')).toBe('finalized')
  expect(await worker.ask('/due/daily', 'lever')).toContain('a wheel now')
  await wait('due/daily')
  expect(await round()).toMatchObject({ unchanged: 1, queued: 0 })
})

test('two rounds at the same time queue one refresh, and a check whose round dies is made again', async () => {
  await add('due/twice')
  await worker.git.commit('due/twice', { files: guide('Twice.') })
  await wait('due/twice')
  const before = requestsTo('due/twice')
  const counts = await Promise.all(Array.from({ length: 4 }, () => round()))
  expect(counts.reduce((sum, { queued }) => sum + queued, 0)).toBe(1)
  expect([requestsTo('due/twice') - before, worker.sent]).toEqual([2, [['/due/twice', 0]]])
  await work('/due/twice')

  await wait('due/twice')
  const died = { ...ports.checks, record: () => Promise.reject(new Error('the process ends')) }
  await expect(round({ checks: died })).rejects.toThrow('checks failed unexpectedly')
  const asked = requestsTo('due/twice')
  await round()
  expect(requestsTo('due/twice')).toBe(asked)
  aheadMs += 16 * minuteMs
  await round()
  expect(requestsTo('due/twice')).toBe(asked + 2)
  expect(await check('due/twice')).toMatchObject({ outcome: 'unchanged' })
})

test('a round queues no refresh while as many jobs are unfinished as it may queue', async () => {
  for (const repo of ['due/a', 'due/b', 'due/c']) {
    await add(repo, { schedule: 'daily' })
    await worker.git.commit(repo, { files: guide('Much has changed.') })
  }
  aheadMs += 2 * dayMs
  await round()
  const queued = worker.sent.splice(0).map(([key]) => key)
  expect(queued).toHaveLength(2)
  expect(await round()).toMatchObject({ unchanged: 0, queued: 0 })
  for (const key of queued) await work(key)
  aheadMs += 16 * minuteMs
  await round()
  expect(worker.sent).toHaveLength(1)
  for (const [key] of worker.sent) await work(key)
})

test('a library whose schedule is off is not checked, one whose repository is gone says why, and a host that fails is paused', async () => {
  await add('due/off', { schedule: 'off' })
  expect(await check('due/off')).toMatchObject({ schedule: 'off' })
  expect(await check('due/off')).not.toHaveProperty('dueAt')
  await add('due/gone', { schedule: 'daily' })
  await worker.git.remove('due/gone')
  await wait('due/gone')
  await round()
  expect(await check('due/gone')).toMatchObject({ outcome: 'refused', failures: 1, error: expect.stringContaining('is private') })
  await add('due/down', { schedule: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' } })
  expect((await check('due/down'))?.dueAt).toMatch(/T0[12]:00:00.000Z$/)
  worker.git.misbehave('due/down', { kind: 'status', status: 503 })
  await wait('due/down')
  await round()
  expect(await check('due/down')).toMatchObject({ outcome: 'failed', failures: 1 })
  worker.git.misbehave('due/down')
  aheadMs += 11 * minuteMs
  await round()
  expect(await check('due/down')).toMatchObject({ outcome: 'unchanged', failures: 0 })
  expect(await check('due/down')).not.toHaveProperty('error')
})

test('a new schedule makes the library due, and a removed library is forgotten', async () => {
  await add('due/changed')
  await worker.ports.catalog.changeSettings(parseLibraryId('/due/changed'), (before) => ({ ...before, schedule: 'daily' }))
  await planAgain(ports, '/due/changed', 'daily')
  expect(await round()).toMatchObject({ unchanged: 1 })
  expect(await check('due/changed')).toMatchObject({ schedule: 'daily', outcome: 'unchanged' })
  await planAgain(ports, '/due/changed', 'off')
  expect(await check('due/changed')).toMatchObject({ schedule: 'off', outcome: 'unchanged' })
  expect(await check('due/changed')).not.toHaveProperty('dueAt')
  await planAgain(ports, '/due/changed', null)
  await worker.ports.catalog.remove(parseLibraryId('/due/changed'))
  await round()
  expect(await check('due/changed')).toBeUndefined()
  expect((await ports.checks.due(now(), 100)).map(({ key }) => key)).not.toContain('/due/changed')
})
