import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { unlessAborted } from '../../../shared/time/unless-aborted.ts'

test('work that ends first returns its result, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

const never = new Promise(() => undefined)

test('a signal that is aborted during the work throws its reason', async () => {
  const ending = new AbortController()
  const waiting = unlessAborted(never, ending.signal)
  ending.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
})

test('a signal that was aborted before the work throws its reason', async () => {
  await expect(unlessAborted(never, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled')
})
