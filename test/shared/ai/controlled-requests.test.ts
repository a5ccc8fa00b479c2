import { expect, test } from 'vitest'
import { controlledRequests } from '../../../shared/ai/controlled-requests.ts'
import { retryPolicy, withRetries } from '../../../shared/ai/retry-policy.ts'
import { AppError } from '../../../shared/errors.ts'

test('a control request that began before a failed request does not prove that others pass after it', async () => {
  const slow = Promise.withResolvers<void>()
  let asked = 0
  const requests = controlledRequests({
    async embed(texts) {
      asked += 1
      if (asked > 1) throw new AppError('provider_unavailable', 'The provider is away.', { retry: 'limited' })
      await slow.promise
      return texts.map(() => Float32Array.of(1))
    },
    tries: withRetries({ ...retryPolicy, pausesMs: [] }, undefined),
    onPassed: () => undefined,
  })
  const first = requests.otherPasses(0)
  await expect.poll(() => asked).toBe(1)
  const number = requests.next()
  await expect(requests.send(['one'])).rejects.toThrow('away')
  const passes = requests.otherPasses(number)
  slow.resolve()
  expect([await first, await passes]).toEqual([true, false])
})
