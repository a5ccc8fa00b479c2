import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { abortAfter, TimeoutError, withTimeout } from '../../../shared/time/with-timeout.ts'

test('work that ends in time returns its result', async () => {
  expect(await withTimeout('The work', 60_000, async () => 7)).toBe(7)
  await expect(withTimeout('The work', 60_000, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('work that ignores its signal is not awaited', async () => {
  const late = withTimeout('The work', 1, () => new Promise(() => undefined))
  await expect(late).rejects.toThrow(new TimeoutError('The work took longer than 1 ms.'))
})

test('the timeout is reported even if the aborted work fails with an error of its own', async () => {
  const late = withTimeout(
    'The work',
    1,
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  )
  await expect(late).rejects.toBeInstanceOf(TimeoutError)
})

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
