import { z } from 'zod'
import type { ActiveJob } from '../store/job.ts'
import type { JobStore } from '../store/job-store.ts'

export const ActiveParse = z.object({
  status: z.enum(['queued', 'parsing', 'finalizing']),
  position: z.int().optional(),
  createdAt: z.iso.datetime().optional(),
  startedAt: z.iso.datetime().optional(),
  duration: z.number().optional().describe('Seconds'),
  statusMessage: z.string().optional(),
})
type ActiveParse = z.infer<typeof ActiveParse>

/** Unfinished jobs by library id. */
export const activeParses = ({ jobs, now }: { jobs: Pick<JobStore, 'active'>; now(): Date }): Record<string, ActiveParse> =>
  Object.fromEntries(jobs.active().map((job) => [job.project, activeParse(job, now())]))

function activeParse(job: ActiveJob, now: Date): ActiveParse {
  if (job.state === 'queued') return { status: 'queued', position: job.position, createdAt: job.createdAt }
  const startedAt = job.startedAt ?? job.createdAt
  const duration = Math.max(0, (now.getTime() - Date.parse(startedAt)) / 1000)
  if (job.state === 'finalizing') return { status: 'finalizing', startedAt, duration }
  const files = job.filesTotal > 0 ? ` (${job.filesDone} of ${job.filesTotal})` : ''
  return { status: 'parsing', startedAt, duration, statusMessage: `${job.statusMessage ?? 'Starting'}${files}` }
}
