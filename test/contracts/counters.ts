import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Counters } from '../../shared/usage/counters.ts'
import { noCounts } from '../../shared/usage/usage-event.ts'
import { mcpEvent, placed, times, usageEvent } from './counters-events.ts'

/** `container()` opens the same store again, like another process. */
export type OpenedCounters = { container(): Counters; close(): Promise<void> }

const shard = 'shardId-000000000001'
const otherShard = 'shardId-000000000002'

/** Tests that every implementation of `Counters` must pass. */
export function countersContract(name: string, open: () => Promise<OpenedCounters>): void {
  describe(`counters in ${name}`, () => {
    let opened: OpenedCounters
    let counters: Counters
    let library = 0
    const id = () => `/owner/library-${library}`
    const read = (from = '2026-11-01', to = '2026-11-30') => opened.container().read(id(), from, to)
    const fresh = () => {
      library++
      counters = opened.container()
    }
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())

    test('are empty for a library without requests', async () => {
      fresh()
      expect(await read()).toEqual({ total: { page: 0, txt: 0, mcp: 0, cli: 0 }, days: [], topics: {}, countries: {} })
    })

    test('are kept by surface, day, topic, country and MCP client', async () => {
      fresh()
      const events = [
        usageEvent({ surface: 'page', country: 'DE' }),
        usageEvent({ surface: 'cli', country: 'DE', topics: ['routing', 'cookies'] }),
        usageEvent({ topics: ['routing', 'routing'], at: '2026-11-20T23:59:59.999Z' }),
        mcpEvent('ann', 'cursor', { country: 'FR' }),
        mcpEvent('ann', 'codex'),
        mcpEvent('bob', 'cursor'),
      ]
      await counters.add(id(), shard, placed(events))
      const idle = { ...noCounts(), times: {}, users: 0, usersByClient: {} }
      expect(await read()).toEqual({
        total: { page: 1, txt: 1, mcp: 3, cli: 1 },
        days: [
          { ...idle, date: '2026-11-20', txt: 1 },
          { ...idle, date: '2026-11-21', page: 1, txt: 0, mcp: 3, cli: 1, users: 2, usersByClient: { cursor: 2, codex: 1 } },
        ],
        topics: { routing: 2, cookies: 1 },
        countries: { DE: 2, FR: 1 },
      })
    })

    test('keep questions by day, outcome and time, and one that nothing matched is no request', async () => {
      fresh()
      const asked = (ms: number, outcome: 'answered' | 'uncovered' | 'unanswered', facts = {}) =>
        usageEvent({ question: { ms, outcome }, ...facts })
      const batch = placed([
        asked(3, 'answered'),
        asked(41, 'answered', { surface: 'cli' }),
        asked(50, 'uncovered'),
        asked(90_000, 'unanswered'),
        asked(3, 'unanswered', { at: '2026-11-20T10:00:00.000Z' }),
        usageEvent(),
      ])
      for (const piece of [batch.slice(0, 3), batch, batch.slice(2)]) await opened.container().add(id(), shard, piece)
      const idle = { ...noCounts(), users: 0, usersByClient: {} }
      expect(await read()).toMatchObject({
        total: { page: 0, txt: 3, mcp: 0, cli: 1 },
        days: [
          { ...idle, date: '2026-11-20', unanswered: 1, times: { 3: 1 } },
          {
            ...idle,
            date: '2026-11-21',
            txt: 3,
            cli: 1,
            answered: 2,
            uncovered: 1,
            unanswered: 1,
            times: { 3: 1, 50: 2, 60000: 1 },
          },
        ],
      })
    })

    test('keep the answer times of every bound in one batch', async () => {
      fresh()
      const batch = placed(times(600, (n) => usageEvent({ question: { ms: Math.round(1.02 ** n), outcome: 'answered' } })))
      await counters.add(id(), shard, batch)
      await counters.add(id(), shard, batch)
      const [day] = (await read()).days
      expect(Object.keys(day?.times ?? {})).toHaveLength(46)
      expect(Object.values(day?.times ?? {}).reduce((sum, count) => sum + count, 0)).toBe(600)
    })

    test('return the requested days, first and last included', async () => {
      fresh()
      const days = ['18', '19', '20', '21'].map((day) => usageEvent({ at: `2026-11-${day}T00:00:00.000Z` }))
      await counters.add(id(), shard, placed(days))
      expect((await read('2026-11-19', '2026-11-20')).days.map(({ date }) => date)).toEqual(['2026-11-19', '2026-11-20'])
    })

    test('count a batch once, however often and in whatever parts it is delivered', async () => {
      fresh()
      const batch = placed(times(9, (n) => mcpEvent(n, n % 2 ? 'zed' : 'cursor', { topics: [`t${n}`], country: 'DE' })))
      for (const piece of [batch.slice(0, 4), batch, batch.slice(0, 6), batch.slice(3), batch, batch.slice(8)])
        await opened.container().add(id(), shard, piece)
      const counted = await read()
      expect(counted.total.mcp).toBe(9)
      expect(counted.days).toMatchObject([{ mcp: 9, users: 9, usersByClient: { cursor: 5, zed: 4 } }])
      expect(counted.topics).toEqual(Object.fromEntries(times(9, (n) => [`t${n}`, 1])))
      expect(counted.countries).toEqual({ DE: 9 })
    })

    test('count a batch once if several workers process it at the same time', async () => {
      fresh()
      const batch = placed(times(12, (n) => mcpEvent(n, 'cursor', { topics: [`t${n % 5}`], country: 'DE' })))
      const pieces = [batch, batch.slice(0, 7), batch, batch.slice(0, 3), batch]
      await Promise.all(pieces.map((piece) => opened.container().add(id(), shard, piece)))
      const counted = await read()
      expect(counted).toMatchObject({ total: { mcp: 12 }, days: [{ mcp: 12, users: 12 }], countries: { DE: 12 } })
      expect(counted.topics).toEqual({ t0: 3, t1: 3, t2: 2, t3: 2, t4: 2 })
    })

    test('stay exact if shards write at the same time', async () => {
      fresh()
      const shards = times(6, (n) => ({
        shard: `shardId-00000000001${n}`,
        events: placed(times(20, (k) => mcpEvent(n * 10 + k, 'cursor', { topics: [`s${n}`, 'all'], country: 'DE' }))),
      }))
      await Promise.all(shards.map(({ shard, events }) => opened.container().add(id(), shard, events)))
      const counted = await read()
      expect(counted).toMatchObject({ total: { mcp: 120 }, days: [{ mcp: 120, users: 70 }], countries: { DE: 120 } })
      expect(counted.topics).toEqual({ all: 120, s0: 20, s1: 20, s2: 20, s3: 20, s4: 20, s5: 20 })
    })

    test('accept shard numbers of any size and shards with other names', async () => {
      fresh()
      await counters.add(id(), otherShard, placed([usageEvent(), usageEvent()], 1000))
      await counters.add(id(), shard, placed([usageEvent()]))
      const replay = {
        shard: `replay-${'a'.repeat(64)}`,
        events: ['1', '9', '10'].map((sequence) => ({ sequence, event: usageEvent() })),
      }
      await counters.add(id(), replay.shard, replay.events)
      await counters.add(id(), replay.shard, replay.events)
      expect((await read()).total.txt).toBe(6)
    })

    test('count an event once that is twice in a batch', async () => {
      fresh()
      const twice = mcpEvent('ann', 'cursor', { topics: ['routing'], country: 'DE' })
      const batch = placed([twice, mcpEvent('bob'), twice])
      await counters.add(id(), shard, batch)
      await opened.container().add(id(), shard, batch.slice(2))
      expect(await read()).toMatchObject({
        total: { mcp: 2 },
        days: [{ mcp: 2, users: 2 }],
        topics: { routing: 1 },
        countries: { DE: 1 },
      })
    })

    test('find a topic that becomes frequent after a thousand others', async () => {
      fresh()
      const rare = times(700, (n) => usageEvent({ topics: [`a ${n}`, `b ${n}`, `c ${n}`] }))
      const late = times(60, () => usageEvent({ topics: ['late'] }))
      await counters.add(id(), shard, placed(rare))
      await counters.add(id(), shard, placed(late, 1_000))
      const { topics } = await read()
      const counted = Object.values(topics).reduce((sum, count) => sum + count, 0)
      expect([Object.keys(topics).length, counted]).toEqual([1_000, 2_160])
      expect(topics.late).toBeGreaterThanOrEqual(60)
      expect(Math.max(...Object.values(topics))).toBe(topics.late)
    })

    test('accept topics and clients with any name', async () => {
      fresh()
      const names = [
        'pk',
        'sk',
        'size',
        's:1',
        's:replay',
        't:x',
        '__proto__',
        'constructor',
        '#a',
        ':v',
        'ADD x',
        'größe',
        '日本語',
        '💥',
        ' ',
        '.',
      ]
      await counters.add(id(), shard, placed(names.map((name) => mcpEvent('ann', name, { topics: [name] }))))
      await counters.add(id(), otherShard, placed(names.map((name) => mcpEvent('bob', name, { topics: [name] }))))
      const { topics, days } = await read()
      expect(topics).toEqual(Object.fromEntries(names.map((name) => [name, 2])))
      expect(days[0]?.usersByClient).toEqual(Object.fromEntries(names.map((name) => [name, 2])))
    })

    test('separate libraries and versions', async () => {
      fresh()
      await counters.add(`${id()}@v1`, shard, placed([usageEvent()]))
      expect((await read()).total.txt).toBe(0)
      expect((await counters.read(`${id()}@v1`, '2026-11-01', '2026-11-30')).total.txt).toBe(1)
    })

    test('accept every possible country code in one batch', async () => {
      fresh()
      const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
      const codes = letters.flatMap((a) => letters.map((b) => a + b))
      const batch = placed(codes.map((country) => usageEvent({ country })))
      await counters.add(id(), shard, batch)
      await counters.add(id(), shard, batch)
      expect((await read()).countries).toEqual(Object.fromEntries(codes.map((code) => [code, 1])))
    })

    test('count unique users exactly up to 512, and approximately above', async () => {
      fresh()
      for (let part = 0; part < 4; part++) {
        const from = part * 500
        await counters.add(
          id(),
          shard,
          placed(
            times(500, (n) => mcpEvent(part === 0 ? n : n + from / 2)),
            from,
          ),
        )
        const { days } = await read()
        const truly = [500, 750, 1000, 1250][part] ?? 0
        expect(days[0]?.users).toBeGreaterThan(truly * (part === 0 ? 0.9999 : 0.95))
        expect(days[0]?.users).toBeLessThan(truly * (part === 0 ? 1.0001 : 1.05))
        expect(days[0]?.usersByClient.cursor).toBe(days[0]?.users)
      }
    })
  })
}
