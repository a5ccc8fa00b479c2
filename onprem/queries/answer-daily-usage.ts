import { z } from 'zod'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { usageRanges } from '../../shared/usage/summarize-usage.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { UsageFigures } from '../store/counters/usage-figures.ts'

const day = z.iso.date().describe('UTC')

export const DailyUsage = z
  .object({
    from: day,
    to: day,
    libraries: z
      .array(z.object({ libraryId: z.string(), requests: z.array(z.int().min(0)).describe('One number per day, oldest first') }))
      .describe('In the order of the request. A library that does not exist has no requests.'),
  })
  .meta({ id: 'DailyUsage' })
type DailyUsage = z.infer<typeof DailyUsage>

type DailyUsagePorts = { catalog: Pick<InstallCatalog, 'find'>; usageFigures: Pick<UsageFigures, 'daily'>; now(): Date }

/** The requests per day of libraries, without the days of their versions. */
export function answerDailyUsage(
  { catalog, usageFigures, now }: DailyUsagePorts,
  { libraryIds, days }: { libraryIds: readonly LibraryId[]; days: number },
): DailyUsage {
  const { period } = usageRanges(now(), days)
  const keys = libraryIds.map(libraryKey)
  const counts = new Map(
    usageFigures
      .daily(libraryIds.filter((id) => catalog.find(id)).map(libraryKey), period)
      .map(({ key, date, count }) => [`${key} ${date}`, count]),
  )
  const dates = Array.from({ length: days }, (_, n) => utcDay(period.from, n))
  return {
    ...period,
    libraries: libraryIds.map((id, n) => ({
      libraryId: printLibraryId(id),
      requests: dates.map((date) => counts.get(`${keys[n]} ${date}`) ?? 0),
    })),
  }
}
