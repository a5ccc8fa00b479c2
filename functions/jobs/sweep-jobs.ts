import type { HostedJob } from './hosted-job.ts'
import type { HostedJobs } from './hosted-jobs.ts'
import type { JobQueue } from './job-queue.ts'

type SweepJobsPorts = { jobs: Pick<HostedJobs, 'active' | 'resend'>; queue: JobQueue; now(): Date }

/** The longest time that a worker needs to start. */
const maxStartMs = 300_000

/** Requests workers again for jobs that have waited too long or whose lease has expired. Returns the number of requests. */
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

/** An expired lease requests a worker immediately, and again if none starts. */
function dueAgainMs({ state, dueAt, sentAt, leaseUntil = '' }: HostedJob): number {
  const sent = Date.parse(sentAt)
  if (state === 'queued') return Math.max(sent, Date.parse(dueAt)) + maxStartMs
  const expired = Date.parse(leaseUntil)
  return sent < expired ? expired + 1 : sent + maxStartMs
}
