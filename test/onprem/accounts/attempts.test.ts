import { beforeEach, expect, test } from 'vitest'
import { type Attempts, attemptsInMemory } from '../../../onprem/accounts/attempts.ts'

const rule = { maxAttempts: 2, spanMs: 60_000 }

let time: number
let attempts: Attempts

beforeEach(() => {
  time = 1_000
  attempts = attemptsInMemory(() => time)
})

test('attempts up to the limit pass; the next is rejected with the time to wait', () => {
  attempts.take('a', rule)
  time += 15_000
  attempts.take('a', rule)
  expect(() => attempts.take('a', rule)).toThrow(
    expect.objectContaining({
      code: 'rate_limit_exceeded',
      message: 'There were too many attempts. Try again in 45 seconds.',
      retryAfterMs: 45_000,
    }),
  )
})

test('attempts from other addresses are not delayed', () => {
  attempts.take('a', rule)
  attempts.take('a', rule)
  expect(() => attempts.take('b', rule)).not.toThrow()
})

test('attempts pass again after the time span, and rejected ones do not extend it', () => {
  attempts.take('a', rule)
  attempts.take('a', rule)
  time += 59_999
  expect(() => attempts.take('a', rule)).toThrow('Try again in a second')
  time += 1
  expect(() => attempts.take('a', rule)).not.toThrow()
})

test('attempts from many addresses do not fill the memory', () => {
  attempts.take('first', rule)
  attempts.take('first', rule)
  for (let n = 0; n < 10_000; n++) attempts.take(`address ${n}`, rule)
  expect(() => attempts.take('first', rule)).not.toThrow()
})
