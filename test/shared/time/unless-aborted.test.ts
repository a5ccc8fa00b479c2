import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { unlessAborted } from '../../../shared/time/unless-aborted.ts'

test('work that ends first has its outcome, and leaves nothing with the signal', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a signal that ends first has its reason thrown, also where it ended before', async () => {
  const ending = new AbortController()
  const never = new Promise(() => undefined)
  const waiting = unlessAborted(never, ending.signal)
  ending.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  await expect(unlessAborted(never, ending.signal)).rejects.toThrow('cancelled')
})
