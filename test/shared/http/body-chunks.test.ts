import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bodyChunks } from '../../../shared/http/body-chunks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const brokeOff = 'The body broke off before its end. Nothing of it is imported; send it again.'

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

test('a body whose chunks come within a minute of each other is read, one that is silent for a minute is not', async () => {
  const { stream, send } = openBody()
  const read = bodyChunks(stream, 1_000).chunks[Symbol.asyncIterator]()
  for (let n = 0; n < 5; n += 1) {
    const next = read.next()
    await vi.advanceTimersByTimeAsync(59_000)
    send()
    expect(await next).toMatchObject({ done: false })
  }
  const next = expect(read.next()).rejects.toThrow(brokeOff)
  await vi.advanceTimersByTimeAsync(60_000)
  await next
  expect(vi.getTimerCount()).toBe(0)
})

test('the time that the server takes for a chunk is not silence of the client', async () => {
  const { stream, send } = openBody()
  const read = bodyChunks(stream, 1_000).chunks[Symbol.asyncIterator]()
  send()
  await read.next()
  await vi.advanceTimersByTimeAsync(120_000)
  send()
  expect(await read.next()).toMatchObject({ done: false })
  const next = expect(read.next()).rejects.toThrow(brokeOff)
  await vi.advanceTimersByTimeAsync(60_000)
  await next
})

test('what a client sends after a rejected body is taken until it pauses for two seconds', async () => {
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
  expect(await drained).toBe(brokeOff)
  expect(vi.getTimerCount()).toBe(0)
})
