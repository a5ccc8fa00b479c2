import { expect, test } from 'vitest'
import { nextDue, readSchedule, scheduleText } from '../../../shared/freshness/refresh-schedule.ts'

const hourMs = 3_600_000

test('weekly checks of 1,000 libraries spread over the week, each at its own fixed time', () => {
  const after = new Date('2026-11-29T12:00:00Z')
  const due = Array.from({ length: 1000 }, (_, i) => nextDue('weekly', `/acme/lib${i}`, after)?.getTime() ?? 0)
  const perDay = Map.groupBy(due, (ms) => Math.floor((ms - after.getTime()) / (24 * hourMs)))
  expect([...perDay.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
  for (const day of perDay.values()) expect(day.length).toBeLessThan(200)
  const [first] = due
  expect(nextDue('weekly', '/acme/lib0', new Date(first ?? 0))?.getTime()).toBe((first ?? 0) + 7 * 24 * hourMs)
})

test('a time of cron follows the summer time of its zone', () => {
  const schedule = readSchedule('30 2 * * 1-5 Europe/Berlin')
  expect(schedule).toEqual({ cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' })
  if (!schedule) return
  expect(nextDue(schedule, '/a/b', new Date('2026-01-05T12:00:00Z'))?.toISOString()).toBe('2026-01-06T01:30:00.000Z')
  expect(nextDue(schedule, '/a/b', new Date('2026-07-06T12:00:00Z'))?.toISOString()).toBe('2026-07-07T00:30:00.000Z')
  expect(scheduleText(schedule)).toBe('30 2 * * 1-5 Europe/Berlin')
})

test('a text that is no schedule is refused', () => {
  for (const text of ['', 'sometimes', '* * *', '99 * * * *', '0 3 * * * Mars/Base', '0 3 31 2 *', '0 3 * * * UTC more'])
    expect(readSchedule(text)).toBe(undefined)
  expect(nextDue('off', '/a/b', new Date())).toBe(undefined)
})
