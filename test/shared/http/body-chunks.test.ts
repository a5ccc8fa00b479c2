import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bodyChunks } from '../../../shared/http/body-chunks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const silent = (seconds: number) =>
  `No data of the body arrived for ${seconds} seconds. The request was not processed; send it again.`

/** A body whose chunks the test sends. */
function openBody() {
  let send: (chunk: Uint8Array) => void = () => undefined
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (chunk) => controller.enqueue(chunk)
    },
  })
  return { stream, send: () => send(new Uint8Array(1)) }
}

test('a pause of less than a minute between chunks is accepted, a longer one is not', async () => {
  const { stream, send } = openBody()
  const read = bodyChunks(stream, 1_000).chunks[Symbol.asyncIterator]()
  for (let n = 0; n < 5; n += 1) {
    const next = read.next()
    await vi.advanceTimersByTimeAsync(59_000)
    send()
    expect(await next).toMatchObject({ done: false })
  }
  const next = expect(read.next()).rejects.toThrow(silent(60))
  await vi.advanceTimersByTimeAsync(60_000)
  await next
  expect(vi.getTimerCount()).toBe(0)
})

test('the time that the server takes for a chunk does not count as a pause of the client', async () => {
  const { stream, send } = openBody()
  const read = bodyChunks(stream, 1_000).chunks[Symbol.asyncIterator]()
  send()
  await read.next()
  await vi.advanceTimersByTimeAsync(120_000)
  send()
  expect(await read.next()).toMatchObject({ done: false })
  const next = expect(read.next()).rejects.toThrow(silent(60))
  await vi.advanceTimersByTimeAsync(60_000)
  await next
})

test('the rest of a rejected body is read until the client pauses for two seconds', async () => {
  const { stream, send } = openBody()
  const body = bodyChunks(stream, 2)
  for (let n = 0; n < 3; n += 1) send()
  await expect(
    (async () => {
      for await (const _ of body.chunks);
    })(),
  ).rejects.toThrow('at most 2 bytes')
  let isDrained = false
  const drained = body.drain().then(
    () => undefined,
    (error: Error) => {
      isDrained = true
      return error.message
    },
  )
  for (let n = 0; n < 3; n += 1) {
    await vi.advanceTimersByTimeAsync(1_900)
    send()
  }
  expect(isDrained).toBe(false)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await drained).toBe(silent(2))
  expect(vi.getTimerCount()).toBe(0)
})
