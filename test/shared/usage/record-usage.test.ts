import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type AnsweredRequest, type RecordPorts, recordUsage, userKey } from '../../../shared/usage/record-usage.ts'
import { UsageEvent } from '../../../shared/usage/usage-event.ts'
import { refusedEvent } from '../../../shared/usage/usage-stream.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'

const now = () => new Date('2026-11-20T23:59:59.900Z')
const address = '203.0.113.7'
const userAgent = 'Cursor/1.0 (secret)'
const request: AnsweredRequest = { library: '/acme/kit', surface: 'mcp', client: 'cursor', topics: ['setup'], address, userAgent }
const never = () => new Promise<never>(() => {})

function recorder(ports: Partial<RecordPorts> = {}) {
  const put: UsageEvent[] = []
  const days: string[] = []
  const log = recordedLog()
  const stream = { put: async (event: UsageEvent) => void put.push(event) }
  const saltOf = async (day: string) => {
    days.push(day)
    return new Uint8Array(32)
  }
  return { put, days, log, ports: { stream, salts: { saltOf }, log, now, ...ports } }
}

/** True if the work is done when that much time has passed. */
async function isDoneAfter(ms: number, start: () => Promise<void>): Promise<boolean> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let done = false
  const work = start().then(() => {
    done = true
  })
  await vi.advanceTimersByTimeAsync(ms)
  const inTime = done
  if (!inTime) await vi.runAllTimersAsync()
  await work
  return inTime
}

test('a successful MCP request is one event with its client and user, without anything that identifies a person', async () => {
  const { ports, put, days, log } = recorder()
  await recordUsage(ports, { ...request, version: 'v2', country: 'DE', keyId: 'key-id', sessionId: 'session-id' })
  expect(put).toEqual([
    {
      id: expect.any(String),
      at: '2026-11-20T23:59:59.900Z',
      library: '/acme/kit',
      version: 'v2',
      surface: 'mcp',
      client: 'cursor',
      user: expect.stringMatching(/^[\w-]{22}$/),
      topics: ['setup'],
      country: 'DE',
    },
  ])
  expect(UsageEvent.parse(JSON.parse(JSON.stringify(put[0])))).toEqual(put[0])
  expect(days).toEqual(['2026-11-20'])
  expect(log.lines).toEqual([])
  for (const secret of [address, userAgent, 'key-id', 'session-id']) expect(JSON.stringify(put)).not.toContain(secret)
})

test('an event of another surface has no client and no user, and needs no salt', async () => {
  const { ports, put, days } = recorder()
  for (const surface of ['page', 'txt', 'cli'] as const) await recordUsage(ports, { ...request, surface })
  expect(put.map(({ client, user }) => client ?? user)).toEqual([undefined, undefined, undefined])
  expect(days).toEqual([])
})

test('a request of a bot is not counted', async () => {
  const { ports, put } = recorder()
  await recordUsage(ports, { ...request, userAgent: 'Googlebot/2.1' })
  expect(put).toEqual([])
})

test('a stream that hangs delays the answer by at most 50 ms, and the whole event is logged as uncertain', async () => {
  let signal: AbortSignal | undefined
  const hangs = {
    put: (_: UsageEvent, given: AbortSignal) => {
      signal = given
      return never()
    },
  }
  const { ports, log } = recorder({ stream: hangs })
  expect(await isDoneAfter(50, () => recordUsage(ports, request))).toBe(true)
  expect(signal?.aborted).toBe(true)
  expect(log.lines).toEqual([
    {
      level: 'error',
      message: 'usage event not on the stream',
      fields: {
        event: expect.objectContaining({ library: '/acme/kit', user: expect.any(String) }),
        uncertain: true,
        reason: 'timed out',
      },
    },
  ])
})

test.each([
  ['rejects', refusedEvent(new Error('no')), false],
  ['may have received', new Error('socket hang up'), true],
] as const)('an event that the stream %s is logged whole, and the request does not fail', async (_, error, uncertain) => {
  const { ports, log } = recorder({ stream: { put: () => Promise.reject(error) } })
  await recordUsage(ports, request)
  expect(log.lines).toMatchObject([{ level: 'error', fields: { event: { library: '/acme/kit' }, uncertain } }])
  expect(UsageEvent.safeParse(log.lines[0]?.fields.event).success).toBe(true)
})

test.each([
  ['hangs', never],
  ['fails', () => Promise.reject(new Error(`no salt for ${address}`))],
  [
    'throws at once',
    () => {
      throw new Error('closed')
    },
  ],
])('a salt that %s removes the user from the event, but does not fail the request', async (_, saltOf) => {
  const { ports, put, log } = recorder({ salts: { saltOf } })
  expect(await isDoneAfter(50, () => recordUsage(ports, request))).toBe(true)
  expect(put).toMatchObject([{ client: 'cursor', surface: 'mcp' }])
  expect(put[0]?.user).toBeUndefined()
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['warn', 'usage event without a user']])
  expect(log.text()).not.toContain(address)
})

test('salt and stream together delay the answer by at most 50 ms', async () => {
  const { ports, log } = recorder({ salts: { saltOf: never }, stream: { put: never } })
  expect(await isDoneAfter(50, () => recordUsage(ports, request))).toBe(true)
  expect(log.lines.at(-1)).toMatchObject({ fields: { uncertain: true, event: { client: 'cursor' } } })
})

const salt = new Uint8Array(32).fill(7)
const anonymous = { salt, address: '203.0.113.7', userAgent: 'Cursor/1.0' }

test('a user key has 22 characters that fit into an event, the same each time', () => {
  const key = userKey(anonymous)
  expect(key).toMatch(/^[\w-]{22}$/)
  expect(userKey(anonymous)).toBe(key)
})

test('a user key depends on the salt', () => {
  const key = userKey(anonymous)
  expect(userKey({ ...anonymous, salt: new Uint8Array(32).fill(8) })).not.toBe(key)
  const expected = createHmac('sha256', salt).update('["address","203.0.113.7","Cursor/1.0"]').digest().subarray(0, 16)
  expect(key).toBe(expected.toString('base64url'))
})

test('a user is identified by the key, else by the session, else by address and User-Agent together', () => {
  const named = { ...anonymous, keyId: 'k1', sessionId: 's1' }
  expect(userKey({ ...named, address: '198.51.100.1', sessionId: 's2' })).toBe(userKey(named))
  expect(userKey({ ...anonymous, sessionId: 's1', address: '198.51.100.1' })).toBe(userKey({ ...anonymous, sessionId: 's1' }))
  const four = [named, { ...anonymous, sessionId: 's1' }, anonymous, { ...anonymous, userAgent: 'Zed/1.0' }]
  expect(new Set(four.map(userKey)).size).toBe(4)
})

test('a session that is spelled like a key is another user', () => {
  expect(userKey({ ...anonymous, keyId: 'same' })).not.toBe(userKey({ ...anonymous, sessionId: 'same' }))
})

test('an empty session is ignored', () => {
  expect(userKey({ ...anonymous, sessionId: '' })).toBe(userKey(anonymous))
})
