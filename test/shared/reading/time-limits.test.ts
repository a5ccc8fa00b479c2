import { expect, test } from 'vitest'
import { timeLimits } from '../../../shared/reading/time-limits.ts'

const timedOut = { skipped: 'it took longer than 20 s to parse', unread: 'timed out' }
const shortened = {
  skipped: 'it took longer than 2 s to parse, the limit after 10 files that could not be parsed within theirs',
  unread: 'timed out',
}
const notTried = {
  skipped: 'it was not read, since 1,000 files before it could not be parsed within their limits',
  unread: 'not tried',
}

test('unreadable files of a version take less than 40 minutes in total, and the next version starts afresh', () => {
  const limits = timeLimits(20_000)
  const given = Array.from({ length: 100_000 }, () => {
    const limit = limits.next()
    limits.countUnread()
    return limit
  })
  expect([given[0], given[9]]).toEqual([
    { timeMs: 20_000, timedOut },
    { timeMs: 20_000, timedOut },
  ])
  expect([given[10], given[999]]).toEqual([
    { timeMs: 2_000, timedOut: shortened },
    { timeMs: 2_000, timedOut: shortened },
  ])
  expect([given[1_000], given[99_999]]).toEqual([notTried, notTried])
  const minutes = given.reduce((sum, limit) => sum + ('timeMs' in limit ? limit.timeMs : 0), 0) / 60_000
  expect(minutes).toBeLessThan(40)
  limits.reset()
  expect(limits.next()).toEqual({ timeMs: 20_000, timedOut })
})
