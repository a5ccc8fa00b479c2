import { expect, test } from 'vitest'
import { defaultRequestLimits, readRequestLimits } from '../../../shared/settings/request-limits.ts'

test('REQUEST_LIMITS changes single limits and removes those that are null', () => {
  const limits = readRequestLimits('{"anonymous":{"minute":120},"free":{"day":null},"enterprise":{"adds":500}}')
  expect(limits).toEqual({
    ...defaultRequestLimits,
    anonymous: { minute: 120 },
    free: { minute: 300, adds: 5 },
    enterprise: { adds: 500 },
  })
  expect(defaultRequestLimits.free.day).toBe(1_000)
})

test.each([
  ['no JSON', 'it is not JSON'],
  ['[]', 'its value'],
  ['{"free":{"minute":0}}', 'free.minute'],
  ['{"free":{"minute":1.5}}', 'free.minute'],
  ['{"anonymous":{"day":5}}', 'anonymous'],
  ['{"gold":{"minute":5}}', 'its value'],
])('REQUEST_LIMITS rejects %s with the field', (text, told) => {
  expect(() => readRequestLimits(text)).toThrow(told)
})
