import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import { z } from 'zod'

const cronRule = 'must be five fields of cron, such as 30 2 * * 1-5'
const zoneRule = 'must be a time zone such as Europe/Berlin or UTC'

const CronTime = z
  .strictObject({
    cron: z.string(cronRule).trim().max(100, cronRule).describe('Five fields of cron, such as 30 2 * * 1-5'),
    timeZone: z.string(zoneRule).max(100, zoneRule).refine(isTimeZone, zoneRule).default('UTC').describe('Such as Europe/Berlin'),
  })
  .refine(({ cron, timeZone }) => !isTimeZone(timeZone) || nextRun(cron, timeZone, new Date()) !== undefined, {
    path: ['cron'],
    message: cronRule,
  })

const periods = ['daily', 'weekly'] as const

/** When a library is compared with its repository. */
export const RefreshSchedule = z.union([z.enum(['off', ...periods]), CronTime]).meta({ id: 'RefreshSchedule' })
export type RefreshSchedule = z.infer<typeof RefreshSchedule>

const scheduleRule = 'must be off, daily, weekly, or five fields of cron and a time zone, such as 30 2 * * 1-5 Europe/Berlin'

/** A schedule as one text: `weekly`, `30 2 * * 1-5` in UTC, `30 2 * * 1-5 Europe/Berlin`. */
export const ScheduleText = z
  .string(scheduleRule)
  .trim()
  .max(200, scheduleRule)
  .refine((text) => readSchedule(text) !== undefined, scheduleRule)

/** Undefined if the text is no schedule. */
export function readSchedule(text: string): RefreshSchedule | undefined {
  const words = text.trim().split(/\s+/)
  const [cron, timeZone] = [words.slice(0, 5).join(' '), words[5] ?? 'UTC']
  const schedule = words.length === 1 ? words[0] : words.length <= 6 ? { cron, timeZone } : undefined
  return RefreshSchedule.safeParse(schedule).data
}

export const scheduleText = (schedule: RefreshSchedule): string =>
  typeof schedule === 'string' ? schedule : `${schedule.cron} ${schedule.timeZone}`

const dayMs = 24 * 60 * 60 * 1000
const periodMs: Record<(typeof periods)[number], number> = { daily: dayMs, weekly: 7 * dayMs }

/**
 * The first time of a schedule after `after`. Daily and weekly spread the libraries over their period, each at its own fixed time. Undefined if
 * it has none.
 */
export function nextDue(schedule: RefreshSchedule, libraryKey: string, after: Date): Date | undefined {
  if (schedule === 'off') return undefined
  if (typeof schedule === 'object') return nextRun(schedule.cron, schedule.timeZone, after)
  const period = periodMs[schedule]
  const offset = Number(createHash('sha256').update(libraryKey).digest().readBigUInt64BE() % BigInt(period))
  const times = Math.floor((after.getTime() - offset) / period) + 1
  return new Date(times * period + offset)
}

function nextRun(cron: string, timezone: string, after: Date): Date | undefined {
  try {
    return new Cron(cron, { paused: true, timezone, mode: '5-part' }).nextRun(after) ?? undefined
  } catch {
    return undefined
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
