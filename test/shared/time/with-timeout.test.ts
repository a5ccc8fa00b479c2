import { expect, test } from 'vitest'
import { TimeoutError, withTimeout } from '../../../shared/time/with-timeout.ts'

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
