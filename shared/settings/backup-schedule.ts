import { Cron } from 'croner'
import { z } from 'zod'

const presets: Record<string, string> = { '6-hourly': '0 */6 * * *', daily: '0 3 * * *', weekly: '0 3 * * 0' }
const rule = 'must be 6-hourly, daily, weekly, or five fields of cron such as 30 2 * * 1-5'

/** The time of backups, in UTC. */
export const BackupSchedule = z
  .string(rule)
  .trim()
  .max(100, rule)
  .refine((text) => nextBackup(text, new Date()) !== undefined, rule)

/** The first time of a schedule after `from`. Undefined if it is invalid or has none. */
export function nextBackup(schedule: string, from: Date): Date | undefined {
  try {
    const pattern = presets[schedule] ?? schedule
    return new Cron(pattern, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun(from) ?? undefined
  } catch {
    return undefined
  }
}
