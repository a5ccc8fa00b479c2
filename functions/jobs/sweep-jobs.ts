import type { HostedJob } from './hosted-job.ts'
import type { HostedJobs } from './hosted-jobs.ts'
import type { JobQueue } from './job-queue.ts'

type SweepJobsPorts = { jobs: Pick<HostedJobs, 'active' | 'resend'>; queue: JobQueue; now(): Date }

/** A worker needs so long to begin, at most. */
const beginMs = 300_000

/** Asks again for workers: for jobs that have waited too long, and those whose worker has not been heard of. Answers how many. */
export async function sweepJobs({ jobs, queue, now }: SweepJobsPorts): Promise<number> {
  const waiting = (await jobs.active()).filter((job) => dueAgainMs(job) <= now().getTime())
  let sent = 0
  for (const job of waiting) {
    if (!(await jobs.resend(job))) continue
    await queue.send(job.key)
    sent += 1
  }
  return sent
}

/** A lapsed lease is acted on at once, and again when that brought no worker. */
function dueAgainMs({ state, dueAt, sentAt, leaseUntil = '' }: HostedJob): number {
  const sent = Date.parse(sentAt)
  if (state === 'queued') return Math.max(sent, Date.parse(dueAt)) + beginMs
  const lapsed = Date.parse(leaseUntil)
  return sent < lapsed ? lapsed + 1 : sent + beginMs
}
