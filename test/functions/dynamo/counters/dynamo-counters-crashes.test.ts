import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dynamoCounters } from '../../../../functions/dynamo/counters/dynamo-counters.ts'
import type { Table } from '../../../../functions/dynamo/table.ts'
import { applyUsage } from '../../../../shared/usage/apply-usage.ts'
import type { Counted, PlacedEvent } from '../../../../shared/usage/counters.ts'
import { outcomes, surfaces, type UsageEvent } from '../../../../shared/usage/usage-event.ts'
import { failingLog, hashOf, placed, times, usageEvent } from '../../../contracts/counters-events.ts'
import { openTestDynamo } from '../../../fixtures/dynamo.ts'
import { awsError, type Fate, faultyTable } from '../faulty-table.ts'

const now = () => new Date('2026-11-21T13:00:00.000Z')
const [from, to] = ['2026-11-01', '2026-11-30']

let table: Table & { close(): Promise<void> }
beforeAll(async () => {
  table = await openTestDynamo()
})
afterAll(() => table.close())

type FateOf = (nth: number, command: string) => Fate

/** A consumer's counters, which may know topics from earlier batches. */
const consumer = (fateOf: FateOf = () => undefined) => dynamoCounters({ table: faultyTable(table, fateOf), log: failingLog, now })

/** One attempt to count records; false if it crashed. */
async function deliver(shard: string, events: PlacedEvent[], counters = consumer()) {
  const records = events.map(({ sequence, event }) => ({ sequence, data: Buffer.from(JSON.stringify(event)) }))
  try {
    await applyUsage({ counters, log: failingLog, now }, { shard, records })
    return true
  } catch (error) {
    if ((error as Error).message === 'crash of the test') return false
    throw error
  }
}

/** Nothing gets through from the nth command on; the nth itself may have taken effect. */
const crashAt =
  (nth: number, takesEffect: boolean) =>
  (at: number): Fate =>
    at < nth ? undefined : { error: awsError('crash'), takesEffect: takesEffect && at === nth }

/** Times of answers with the bounds that they are counted under. */
const bounds = new Map([
  [0, 1],
  [40, 40],
  [41, 50],
  [1_000_000, 60_000],
])

/** The expected counters after these events, counted without the tested code. */
function oracle(events: UsageEvent[]): Counted {
  const unique = [...new Map(events.map((event) => [event.id, event])).values()]
  const tally = (names: string[]) => Object.fromEntries(names.map((name) => [name, names.filter((each) => each === name).length]))
  const matched = (some: UsageEvent[]) => some.filter(({ question }) => question?.outcome !== 'unanswered')
  const bySurface = (some: UsageEvent[]) =>
    Object.fromEntries(
      surfaces.map((surface) => [surface, matched(some).filter((each) => each.surface === surface).length]),
    ) as Counted['total']
  const byOutcome = (some: UsageEvent[]) =>
    Object.fromEntries(
      outcomes.map((outcome) => [outcome, some.filter(({ question }) => question?.outcome === outcome).length]),
    ) as Record<(typeof outcomes)[number], number>
  const timesOf = (some: UsageEvent[]) =>
    tally(some.flatMap(({ question }) => (question ? [String(bounds.get(question.ms))] : [])))
  const usersOf = (some: UsageEvent[]) => new Set(some.flatMap(({ user }) => user ?? [])).size
  const byDay = Map.groupBy(unique, ({ at }) => at.slice(0, 10))
  return {
    total: bySurface(unique),
    days: [...byDay.keys()].sort().map((date) => {
      const some = byDay.get(date) ?? []
      const byClient = Map.groupBy(
        some.filter(({ user }) => user),
        ({ client }) => client ?? '',
      )
      const usersByClient = Object.fromEntries(Array.from(byClient, ([client, asked]) => [client, usersOf(asked)]))
      return { date, ...bySurface(some), ...byOutcome(some), times: timesOf(some), usersByClient, users: usersOf(some) }
    }),
    topics: tally(unique.flatMap(({ topics }) => [...new Set(topics)])),
    countries: tally(unique.flatMap(({ country }) => country ?? [])),
  }
}

async function expectExact(events: UsageEvent[]): Promise<void> {
  const counters = dynamoCounters({ table, log: failingLog, now })
  const idsOf = ({ library, version }: UsageEvent) => (version ? [library, `${library}@${version}`] : [library])
  for (const id of new Set(events.flatMap(idsOf)))
    expect(await counters.read(id, from, to)).toEqual(oracle(events.filter((event) => idsOf(event).includes(id))))
}

const small = (library: string): PlacedEvent[] =>
  placed([
    usageEvent({
      library,
      version: 'v1',
      surface: 'mcp',
      client: 'cursor',
      user: hashOf('ann'),
      topics: ['a', 'b', 'c'],
      country: 'DE',
      question: { ms: 41, outcome: 'uncovered' },
    }),
    usageEvent({ library, version: 'v1', question: { ms: 40, outcome: 'unanswered' } }),
    usageEvent({ library, surface: 'mcp', client: 'zed', user: hashOf('bob'), topics: ['d'], at: '2026-11-15T23:00:00.000Z' }),
    usageEvent({ library, surface: 'cli', country: 'FR' }),
  ])

test('counters are exact again with the next delivery after a crash before or after any command', async () => {
  const shard = 'shardId-000000000000'
  const counting = faultyTable(table, () => undefined)
  const records = small('/crash/none').map(({ sequence, event }) => ({ sequence, data: Buffer.from(JSON.stringify(event)) }))
  const ports = { counters: dynamoCounters({ table: counting, log: failingLog, now }), log: failingLog, now }
  await applyUsage(ports, { shard, records })
  const commands = counting.commands.length
  expect(commands).toBeGreaterThanOrEqual(20)

  const cases = times(commands, (n) => n + 1).flatMap((nth) => [false, true].map((takesEffect) => ({ nth, takesEffect })))
  for (const { nth, takesEffect } of cases) {
    const events = small(`/crash/at-${nth}-${takesEffect}`)
    expect(await deliver(shard, events, consumer(crashAt(nth, takesEffect)))).toBe(false)
    await deliver(shard, events.slice(0, 2), consumer(crashAt(Math.ceil(nth / 2), takesEffect)))
    expect(await deliver(shard, events)).toBe(true)
    await expectExact(events.map(({ event }) => event))
  }
})

const clients = ['cursor', 'zed', 'codex']
const event = fc.record({
  library: fc.constantFrom('/one', '/one', '/two'),
  version: fc.constantFrom(undefined, undefined, 'v1'),
  surface: fc.constantFrom(...surfaces, 'mcp' as const),
  day: fc.constantFrom('2026-11-21', '2026-11-21', '2026-11-20', '2026-11-15'),
  client: fc.constantFrom(...clients),
  user: fc.nat(6),
  topics: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__'), { maxLength: 3 }),
  country: fc.constantFrom(undefined, 'DE', 'FR'),
  ms: fc.option(fc.constantFrom(...bounds.keys())),
  outcome: fc.constantFrom(...outcomes),
  twice: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
})

/** One delivery: it begins `back` records before the position of its shard, has `length` records, and may crash at a command. */
const delivery = fc.record({
  shard: fc.nat(3),
  back: fc.nat(5),
  length: fc.integer({ min: 1, max: 12 }),
  crash: fc.option(fc.record({ nth: fc.integer({ min: 1, max: 25 }), takesEffect: fc.boolean() }), { freq: 2, nil: undefined }),
  /** Runs while the next one does. */
  overlaps: fc.boolean(),
})

type Shard = { name: string; records: PlacedEvent[]; position: number }

let run = 0

/** The first shard is split into the later ones. Their sequence numbers continue after it, and they are read while it is still being read. */
function shardsOf(events: (typeof event extends fc.Arbitrary<infer Value> ? Value : never)[][]): Shard[] {
  run++
  return events.map((some, n) => {
    const made = some.flatMap(({ day, twice, surface, client, user, library, version, ms, outcome, ...facts }, k) => {
      const users = surface === 'mcp' ? { client, user: hashOf(user) } : {}
      const place = { library: `${library}-${run}/docs`, version, surface, at: `${day}T10:00:00.000Z` }
      const question = ms === null ? undefined : { ms, outcome }
      const isAnswered = question?.outcome !== 'unanswered'
      const one = usageEvent({ ...place, question, ...(isAnswered && { ...facts, ...users }) })
      return twice && k % 12 < 11 ? [one, one] : [one]
    })
    return { name: `shardId-00000000000${n}`, records: placed(made, n * 1000), position: 0 }
  })
}

/** Whole pairs of records with one id: what is promised of them holds within a batch. */
function cut(records: PlacedEvent[], start: number, end: number): [number, number] {
  const isSecond = (at: number) => at > 0 && records[at]?.event.id === records[at - 1]?.event.id
  return [isSecond(start) ? start - 1 : start, isSecond(end) ? end + 1 : end]
}

test('counters are exact in spite of crashes, repeated and overlapping deliveries and moved shards', async () => {
  const streams = fc.tuple(...times(4, () => fc.array(event, { minLength: 1, maxLength: 14 })))
  await fc.assert(
    fc.asyncProperty(streams, fc.array(delivery, { maxLength: 14 }), async (events, deliveries) => {
      const shards = shardsOf(events)
      const lasting = consumer()
      let running: Promise<unknown>[] = []
      for (const { shard: number, back, length, crash, overlaps } of deliveries) {
        const shard = shards[number] as Shard
        const [start, end] = cut(shard.records, Math.max(0, shard.position - back), shard.position - back + length)
        const batch = shard.records.slice(start, Math.max(start, end))
        const attempt = deliver(shard.name, batch, crash ? consumer(crashAt(crash.nth, crash.takesEffect)) : lasting).then(
          (done) => {
            if (done) shard.position = Math.max(shard.position, start + batch.length)
          },
        )
        running.push(attempt)
        if (overlaps) continue
        await Promise.all(running)
        running = []
      }
      await Promise.all(running)
      await Promise.all(
        shards.map(({ name, records, position }) => deliver(name, records.slice(cut(records, position, position)[0]))),
      )
      await expectExact(shards.flatMap(({ records }) => records.map((each) => each.event)))
    }),
    { numRuns: 50, seed: 20261121, endOnFailure: true },
  )
})
