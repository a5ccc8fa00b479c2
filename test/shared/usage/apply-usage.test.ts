import { expect, test } from 'vitest'
import { applyUsage } from '../../../shared/usage/apply-usage.ts'
import type { Counters } from '../../../shared/usage/counters.ts'
import { mcpEvent, times, usageEvent } from '../../contracts/counters-events.ts'

const now = () => new Date('2026-11-21T13:00:00.000Z')
const shard = 'shardId-000000000000'

function watched(add: Counters['add'] = async () => undefined) {
  const lines: Record<string, unknown>[] = []
  const note = (fields: Record<string, unknown>) => void lines.push(fields)
  const added: [id: string, shard: string, sequences: string[]][] = []
  const ports = {
    log: { info: note, warn: note, error: note },
    now,
    counters: {
      add: (id, shard, events) => {
        added.push([id, shard, events.map(({ sequence }) => sequence)])
        return add(id, shard, events)
      },
      read: () => Promise.reject(new Error('not read here')),
    } satisfies Counters,
  }
  return { ports, lines, added }
}

const recordsOf = (...events: unknown[]) =>
  events.map((event, n) => ({
    sequence: String(100 + n),
    data: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
  }))

test('an event is counted for its library, and for the version that it names', async () => {
  const { ports, added } = watched()
  const records = recordsOf(
    usageEvent({ library: '/a/one' }),
    usageEvent({ library: '/a/two', version: 'v1' }),
    usageEvent({ library: '/a/one', version: 'v2' }),
  )
  expect(await applyUsage(ports, { shard, records })).toEqual({ counted: 3, skipped: 0 })
  expect(added).toEqual([
    ['/a/one', shard, ['100', '102']],
    ['/a/two', shard, ['101']],
    ['/a/two@v1', shard, ['101']],
    ['/a/one@v2', shard, ['102']],
  ])
})

test('an invalid event is skipped and reported without its content, and the batch continues', async () => {
  const { ports, lines, added } = watched()
  const secret = 'SECRET'
  const malformed = [
    secret,
    '',
    '[]',
    'null',
    '{"__proto__":{"id":1}}',
    { ...usageEvent(), surface: secret },
    { ...usageEvent(), country: secret },
    { ...usageEvent(), user: secret },
    { ...usageEvent(), at: secret },
    { ...usageEvent(), topics: times(4, () => secret) },
    { ...usageEvent(), topics: [secret.repeat(1_700)] },
    { ...usageEvent(), client: secret.repeat(1_700) },
    { ...usageEvent(), [secret]: secret.repeat(2_000) },
  ]
  const broken = { sequence: '99', data: Uint8Array.of(0xff, 0xfe, 0x00) }
  const records = [broken, ...recordsOf(...malformed, usageEvent({ library: '/a/one' }))]
  expect(await applyUsage(ports, { shard, records })).toEqual({ counted: 1, skipped: malformed.length + 1 })
  expect(added.map(([id]) => id)).toEqual(['/a/one'])
  expect(lines).toHaveLength(malformed.length + 1)
  for (const line of lines) expect(Object.keys(line)).toEqual(['shard', 'sequence', 'sizeBytes', 'reason'])
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test('a flood of malformed records writes only a few lines to the log', async () => {
  const { ports, lines } = watched()
  expect(await applyUsage(ports, { shard, records: recordsOf(...times(5_000, () => '{')) })).toEqual({
    counted: 0,
    skipped: 5_000,
  })
  expect(lines).toHaveLength(21)
  expect(lines.at(-1)).toEqual({ shard, records: 5_000 })
})

test('an event is counted if it is at most 7 days old and at most 5 minutes ahead', async () => {
  const { ports, lines, added } = watched()
  const at = (...days: string[]) => days.map((day) => usageEvent({ at: day }))
  const kept = at('2026-11-14T13:00:00.000Z', '2026-11-21T13:05:00.000Z')
  const skipped = at(
    '2026-11-14T12:59:59.999Z',
    '2026-11-21T13:05:00.001Z',
    '2025-10-17T13:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  )
  expect(await applyUsage(ports, { shard, records: recordsOf(...kept, ...skipped) })).toEqual({ counted: 2, skipped: 4 })
  expect(added.flatMap(([, , sequences]) => sequences)).toEqual(['100', '101'])
  expect(lines.map(({ reason }) => reason)).toEqual([
    'older than 7 days',
    'more than 5 minutes ahead',
    'older than 7 days',
    'more than 5 minutes ahead',
  ])
})

test('clients outside the fixed table are counted together', async () => {
  const clients: (string | undefined)[] = []
  const { ports } = watched(async (_, __, events) => void clients.push(...events.map(({ event }) => event.client)))
  const records = recordsOf(
    mcpEvent('ann', 'cursor'),
    mcpEvent('ann', '__proto__'),
    mcpEvent('ann', 'x'.repeat(40)),
    mcpEvent('ann', 'other'),
  )
  await applyUsage(ports, { shard, records })
  expect(clients).toEqual(['cursor', 'other', 'other', 'other'])
})

test('a failed library fails the batch after all others are counted', async () => {
  const done: string[] = []
  const { ports } = watched(async (id) => {
    if (id === '/a/1') throw new Error('throttled')
    await new Promise(setImmediate)
    done.push(id)
  })
  const records = recordsOf(...times(40, (n) => usageEvent({ library: `/a/${n}` })))
  await expect(applyUsage(ports, { shard, records })).rejects.toThrow('throttled')
  expect(done).toHaveLength(39)
})
