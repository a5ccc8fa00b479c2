import { expect, test } from 'vitest'
import { timeLimits } from '../../../shared/reading/time-limits.ts'

const late = { skipped: 'it took longer than 20 s to parse', unread: 'late' }
const hurried = {
  skipped: 'it took longer than 2 s to parse, the limit after 10 files that could not be parsed within theirs',
  unread: 'late',
}
const leftOut = {
  skipped: 'it was not read, since 1,000 files before it could not be parsed within their limits',
  unread: 'left out',
}

test('however many files of a version no reader gets through, they take less than 40 minutes, and the next version begins anew', () => {
  const patient = timeLimits(20_000)
  const given = Array.from({ length: 100_000 }, () => {
    const limit = patient.forNext()
    patient.lose()
    return limit
  })
  expect([given[0], given[9]]).toEqual([
    { timeMs: 20_000, late },
    { timeMs: 20_000, late },
  ])
  expect([given[10], given[999]]).toEqual([
    { timeMs: 2_000, late: hurried },
    { timeMs: 2_000, late: hurried },
  ])
  expect([given[1_000], given[99_999]]).toEqual([leftOut, leftOut])
  const minutes = given.reduce((sum, limit) => sum + ('timeMs' in limit ? limit.timeMs : 0), 0) / 60_000
  expect(minutes).toBeLessThan(40)
  patient.renew()
  expect(patient.forNext()).toEqual({ timeMs: 20_000, late })
})
