import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventFeed, maxTopics } from '../../../onprem/events/event-feed.ts'
import { eventStream } from '../../../onprem/events/event-stream.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function opened(lastId?: string) {
  const feed = eventFeed('run')
  const ends: string[] = []
  const stopping = new AbortController()
  const access = { isAllowed: true, isBroken: false }
  const errors: unknown[] = []
  const open = (id = lastId) =>
    eventStream(
      {
        feed,
        dataOf(topic) {
          if (access.isBroken) throw new Error('the database is damaged')
          return JSON.stringify({ id: topic.id })
        },
        isAllowed: async () => access.isAllowed,
        signal: stopping.signal,
        onEnd: (why) => ends.push(why),
        onError: (error) => errors.push(error),
      },
      id,
    ).getReader()
  const reader = open()
  const read = async () => {
    const { value } = await reader.read()
    return value && new TextDecoder().decode(value)
  }
  return { feed, ends, errors, stopping, access, open, read }
}

test('an idle stream sends a comment every 15 seconds', async () => {
  const { read } = opened()
  expect(await read()).toBe(': open\nretry: 2000\nid: run-0\n\n')
  for (const _ of [1, 2]) {
    let text: string | undefined
    const reading = read().then((each) => {
      text = each
    })
    await vi.advanceTimersByTimeAsync(14_800)
    expect(text).toBeUndefined()
    await vi.advanceTimersByTimeAsync(200)
    await reading
    expect(text).toBe(': still open\n\n')
  }
})

test('a slow client gets the last state of each topic once, however often it changed', async () => {
  const { feed, read } = opened()
  await read()
  for (let n = 0; n < 10_000; n++) {
    feed.changed({ event: 'job', id: n % 3 })
    if (n % 1000 === 0) await vi.advanceTimersByTimeAsync(300)
  }
  await vi.advanceTimersByTimeAsync(300)
  expect((await read())?.match(/^data: .*$/gm)).toHaveLength(3)
})

test('a client that reconnects gets many changes in batches, and each once', async () => {
  const { feed, open } = opened()
  for (let id = 0; id < maxTopics; id++) feed.changed({ event: 'job', id })
  await vi.advanceTimersByTimeAsync(300)
  const reader = open('run-0')
  const ids: number[] = []
  while (ids.length < maxTopics) {
    const text = new TextDecoder().decode((await reader.read()).value)
    const batch = [...text.matchAll(/^data: \{"id":(\d+)\}$/gm)].map(([, id]) => Number(id))
    expect(batch.length).toBeLessThanOrEqual(50)
    ids.push(...batch)
  }
  expect(ids).toEqual(Array.from({ length: maxTopics }, (_, id) => id))
})

test('a client that missed changes of too many topics gets a request to read everything again', async () => {
  const { feed, read } = opened()
  await read()
  for (let id = 0; id <= maxTopics; id++) feed.changed({ event: 'job', id })
  await vi.advanceTimersByTimeAsync(300)
  expect(await read()).toBe(`id: run-${maxTopics + 1}\nevent: reset\ndata: {}\n\n`)
})

test('a caller who lost access gets no event, and an idle stream ends within seconds', async () => {
  const { feed, read, access, ends } = opened()
  await read()
  const reading = read()
  await vi.advanceTimersByTimeAsync(2_000)
  access.isAllowed = false
  feed.changed({ event: 'job', id: 1 })
  await vi.advanceTimersByTimeAsync(300)
  expect([await reading, ends]).toEqual([undefined, ['ended']])
  const idle = opened()
  await idle.read()
  const waiting = idle.read()
  idle.access.isAllowed = false
  await vi.advanceTimersByTimeAsync(5_100)
  expect([await waiting, idle.ends]).toEqual([undefined, ['ended']])
})

test('a client that reads nothing for a minute is disconnected', async () => {
  const { feed, read, ends } = opened()
  await read()
  feed.changed({ event: 'job', id: 1 })
  await vi.advanceTimersByTimeAsync(300)
  await read()
  await vi.advanceTimersByTimeAsync(61_000)
  expect(ends).toEqual(['unread'])
})

test('a stream ends with a report of the error if a state cannot be read', async () => {
  const { feed, read, access, ends, errors } = opened()
  await read()
  access.isBroken = true
  feed.changed({ event: 'job', id: 1 })
  const reading = read()
  await vi.advanceTimersByTimeAsync(300)
  expect([await reading, ends, errors]).toEqual([undefined, ['ended'], [new Error('the database is damaged')]])
})

test('a stream that the client ends leaves no listener', async () => {
  const { open, stopping } = opened()
  const listeners = () => getEventListeners(stopping.signal, 'abort').length
  const before = listeners()
  const reader = open()
  await reader.read()
  expect(listeners()).toBe(before + 1)
  await reader.cancel()
  expect(listeners()).toBe(before)
})

test('a stream ends when the server stops', async () => {
  const { stopping, read, ends } = opened()
  await read()
  const reading = read()
  await vi.advanceTimersByTimeAsync(10)
  stopping.abort()
  expect([await reading, ends]).toEqual([undefined, ['ended']])
})
