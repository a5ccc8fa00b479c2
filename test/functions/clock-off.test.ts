import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../functions/access/caller.ts'
import { rateLimits } from '../../functions/access/rate-limits.ts'
import { usageHandler } from '../../functions/counting/usage-handler.ts'
import { dynamoSalts } from '../../functions/dynamo/counters/dynamo-salts.ts'
import { dynamoRequestCounts } from '../../functions/dynamo/dynamo-request-counts.ts'
import { dynamoJobs } from '../../functions/dynamo/jobs/dynamo-jobs.ts'
import { sweepJobs } from '../../functions/jobs/schedule.ts'
import { NoCapacity, startWorkers } from '../../functions/worker/start-workers.ts'
import { toHttp } from '../../shared/http/to-http.ts'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { isExpired, signLicense, verifyLicense } from '../../shared/keys/license.ts'
import { defaultRequestLimits } from '../../shared/settings/request-limits.ts'
import { openTestDynamo } from '../fixtures/dynamo.ts'
import { kinesisRecord, sqsRecord } from '../fixtures/lambda-events.ts'
import { silentLog } from '../fixtures/silent-log.ts'
import { recordedCounters, usageEvent } from '../fixtures/usage.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const offsets: [string, number][] = [
  ['two days behind', -2 * dayMs],
  ['ten minutes behind', -10 * minuteMs],
  ['ten minutes ahead', 10 * minuteMs],
  ['two days ahead', 2 * dayMs],
]
/** Ten seconds after the beginning of a minute. */
const at = Date.parse('2030-06-01T12:00:10.000Z')
const clock =
  (offMs = 0) =>
  () =>
    new Date(at + offMs)
const request = { repoUrl: 'https://github.com/acme/docs', force: false, anonymous: true }

let table: Awaited<ReturnType<typeof openTestDynamo>>
let keys = 0
const newKey = () => `/acme/job${keys++}`

beforeAll(async () => {
  table = await openTestDynamo()
})
afterAll(() => table.close())

test.each(offsets)(
  'a job whose worker died, and whose clock was %s, gets another worker within a quarter of an hour',
  async (_what, offMs) => {
    const key = newKey()
    const jobs = dynamoJobs({ table, now: clock(offMs) })
    await jobs.enqueue({ key, project: key, request })
    expect(await jobs.claim(key, 'dead')).toMatchObject({ owner: 'dead' })

    const later = clock(15 * minuteMs)
    const others = dynamoJobs({ table, now: later })
    const sent: string[] = []
    await sweepJobs({ jobs: others, now: later, queue: { send: async (each) => void sent.push(each) } })
    expect(sent).toContain(key)
    const started: string[] = []
    const ports = {
      jobs: others,
      queue: { send: async () => undefined },
      isUnchanged: async () => false,
      log: silentLog,
      now: later,
    }
    const event = { Records: [sqsRecord('m', key)] }
    await startWorkers({ ...ports, runTask: async (each) => void started.push(each) }, event)
    expect(started).toEqual([key])
    const second = await others.claim(key, 'second')
    expect(second).toMatchObject({ owner: 'second', interruptions: 1 })
    if (second) await others.finish(second)
  },
)

test.each(offsets)('only one of two workers ends a job if a clock is %s', async (_what, offMs) => {
  const key = newKey()
  const [jobs, off] = [dynamoJobs({ table, now: clock() }), dynamoJobs({ table, now: clock(offMs) })]
  await jobs.enqueue({ key, project: key, request })
  const first = await jobs.claim(key, 'first')
  const second = await off.claim(key, 'second')
  if (!first) throw new Error('The job cannot be claimed.')
  // The second may take the job from the first, which then notices it and changes nothing.
  expect(await jobs.renew(first)).toBe(second === undefined)
  await jobs.finish(second === undefined ? { ...first, owner: 'second' } : first)
  expect(await jobs.find(key)).toMatchObject({ owner: second === undefined ? 'first' : 'second' })
  await (second === undefined ? jobs.finish(first) : off.finish(second))
  expect(await jobs.find(key)).toBeUndefined()
})

test.each(offsets)('a job without capacity is tried again if the clock of its starter is %s', async (_what, offMs) => {
  const key = newKey()
  await dynamoJobs({ table, now: clock() }).enqueue({ key, project: key, request })
  const [jobs, pauses] = [dynamoJobs({ table, now: clock(offMs) }), [] as (number | undefined)[]]
  const queue = { send: async (_key: string, pauseMs?: number) => void pauses.push(pauseMs) }
  const runTask = () => Promise.reject(new NoCapacity('RESOURCE:CPU'))
  const ports = { jobs, queue, isUnchanged: async () => false, runTask, log: silentLog, now: clock(offMs) }
  expect(await startWorkers(ports, { Records: [sqsRecord('m', key)] })).toEqual({ batchItemFailures: [] })
  expect(pauses).toEqual([120_000])
})

test.each(offsets)(
  'a process whose clock is %s lets no more through in its minute, and asks nobody to wait longer than a minute',
  async (what, offMs) => {
    const caller: Caller = { kind: 'teamspace', teamspace: what, keyId: what, role: 'owner', scope: 'admin' }
    const opened = (now: () => Date) =>
      rateLimits({
        limits: { ...defaultRequestLimits, free: { minute: 5 } },
        counts: dynamoRequestCounts(table),
        teamspaces: { get: async (id) => ({ id, name: id, plan: 'free', createdAt: '' }) },
        salts: dynamoSalts({ table: table.salts, now }),
        log: silentLog,
        now,
      })
    const passes = async (limits: ReturnType<typeof opened>) =>
      (await Promise.allSettled(Array.from({ length: 8 }, () => limits.request(caller, '')))).filter(
        ({ status }) => status === 'fulfilled',
      ).length
    const off = opened(clock(offMs))
    expect([await passes(opened(clock())), await passes(off), await passes(opened(clock(offMs)))]).toEqual([5, 5, 0])
    const { status, headers } = toHttp(await off.request(caller, '').catch((error: unknown) => error))
    expect([status, headers['retry-after']]).toEqual([429, '50'])
  },
)

test.each(offsets)(
  'licenses and keys are valid for longer or shorter only by the time by which a clock is %s',
  async (_what, offMs) => {
    const { publicPem, privatePem } = makeKeyPair()
    const isValid = async (leftMs: number) => {
      const expiresAt = new Date(at + leftMs).toISOString()
      const license = await signLicense({ id: 'l', customer: 'Example', kind: 'online', expiresAt }, privatePem)
      const isAccepted = await verifyLicense(license, [publicPem], clock(offMs)()).then(
        () => true,
        () => false,
      )
      expect(isExpired({ expiresAt }, clock(offMs)())).toBe(!isAccepted)
      return isAccepted
    }
    expect(await isValid(offMs + minuteMs)).toBe(true)
    expect(await isValid(offMs - minuteMs)).toBe(false)
    expect(await isValid(365 * dayMs)).toBe(true)
  },
)

test('events of a clock that is behind or a little ahead are counted, and no event holds up the others', async () => {
  const counters = recordedCounters()
  const handler = usageHandler({ counters, log: silentLog, now: clock() })
  const timed = [-8 * dayMs, -2 * dayMs, -10 * minuteMs, 0, 4 * minuteMs, 10 * minuteMs, 2 * dayMs]
  const events = timed.map((offMs) => usageEvent({ at: new Date(at + offMs).toISOString(), topics: [String(offMs)] }))
  const Records = events.map((event, n) => kinesisRecord(JSON.stringify(event), n))
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] })
  const counted = counters.added.flatMap(({ events }) => events.map(({ event }) => Number(event.topics[0])))
  expect(counted).toEqual([-2 * dayMs, -10 * minuteMs, 0, 4 * minuteMs])
})
