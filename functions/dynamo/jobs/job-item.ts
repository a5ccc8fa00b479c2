import type { JobReport } from '../../../shared/indexing/index-job.ts'
import type { HostedJob } from '../../jobs/hosted-job.ts'

const mostSkipped = 100
const longestPath = 300

/** A report that an item has room for: of what was skipped only the first. */
export function shortReport(report: JobReport): JobReport {
  const skipped = report.skipped.map(({ path, reason }) => ({
    path: path.slice(0, longestPath),
    reason: reason.slice(0, longestPath),
  }))
  const more = skipped.length - mostSkipped
  if (more <= 0) return { ...report, skipped }
  return { ...report, skipped: [...skipped.slice(0, mostSkipped), { path: '…', reason: `and ${more} more` }] }
}

/** The attributes of a job; what is nested stands as JSON. */
export const jobItem = ({ request, progress, report, ...rest }: HostedJob): Record<string, unknown> => ({
  ...rest,
  request: JSON.stringify(request),
  progress: JSON.stringify(progress),
  ...(report === null ? {} : { report: JSON.stringify(shortReport(report)) }),
})

export const fromJobItem = ({ pk: _, sk: __, request, progress, report, ...rest }: Record<string, unknown>): HostedJob =>
  ({
    ...rest,
    request: JSON.parse(String(request)),
    progress: JSON.parse(String(progress)),
    report: report === undefined ? null : JSON.parse(String(report)),
  }) as HostedJob
