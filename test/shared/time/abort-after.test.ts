import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { abortAfter } from '../../../shared/time/abort-after.ts'

const error = () => new Error('It took too long.')

test('work that ends in time returns its result', async () => {
  expect(await abortAfter({ maxMs: 60_000, error }, async () => 7)).toBe(7)
})

test('work that takes too long is aborted, and has ended when the error is thrown', async () => {
  let hasEnded = false
  const work = (signal: AbortSignal) =>
    sleep(60_000, undefined, { signal }).finally(() => {
      hasEnded = true
    })
  await expect(abortAfter({ maxMs: 1, error }, work)).rejects.toThrow()
  expect(hasEnded).toBe(true)
})

test('the signal aborts with the error', async () => {
  const reason = abortAfter(
    { maxMs: 1, error },
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
  )
  expect(await reason).toEqual(error())
})

test('excluded time is not counted', async () => {
  const startedAt = performance.now()
  const waited = abortAfter(
    { maxMs: 10, error, excludedMs: () => 100 },
    (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  )
  await waited
  expect(performance.now() - startedAt).toBeGreaterThan(105)
})
