import { expect, test } from 'vitest'
import { pollInterval } from '../../../functions/web/api/poll-interval.ts'

const createdAt = '2026-03-01T12:00:00.000Z'
const after = (seconds: number) => Date.parse(createdAt) + seconds * 1000

test.each([
  ['just begun', 0, 1_000],
  ['a minute old', 60, 6_000],
  ['an hour old', 3600, 15_000],
  ['from the future of a clock that is behind', -500, 1_000],
])('a job that is %s is asked about again after a matching pause', (_, age, pause) => {
  expect(pollInterval([{ createdAt }], after(age))).toBe(pause)
})

test('the newest job decides, and without a job nothing is asked', () => {
  expect(pollInterval([{ createdAt }, null, { createdAt: '2026-03-01T12:59:40.000Z' }], after(3600))).toBe(2_000)
  expect(pollInterval([null], after(0))).toBe(false)
  expect(pollInterval([], after(0))).toBe(false)
})
