import type { JobReport } from '../../../shared/indexing/index-job.ts'
import type { HostedJob } from '../../jobs/hosted-jobs.ts'

const maxSkipped = 100
const maxPathLength = 300

/** A report that fits into an item: only the first 100 skipped files. */
export function shortReport(report: JobReport): JobReport {
  const skipped = report.skipped.map(({ path, reason }) => ({
    path: path.slice(0, maxPathLength),
    reason: reason.slice(0, maxPathLength),
  }))
  const more = skipped.length - maxSkipped
  if (more <= 0) return { ...report, skipped }
  return { ...report, skipped: [...skipped.slice(0, maxSkipped), { path: '…', reason: `and ${more} more` }] }
}

/** The attributes of a job; nested values are JSON. */
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
