import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { ClaimedJob, HostedJobs, Progress } from '../jobs/hosted-jobs.ts'

export type LeaseTimes = {
  /** Maximum time between two renewals. */
  renewMs: number
  /** Minimum time between two writes of progress. */
  progressMs: number
}

export type Lease = {
  /** Aborts when another worker has the job, or may have it. */
  lost: AbortSignal
  report(progress: Progress): void
  end(): Promise<void>
}

type RenewLeasePorts = { jobs: Pick<HostedJobs, 'renew'>; log: Log; now(): Date }

export const defaultTimes: LeaseTimes = { renewMs: 20_000, progressMs: 2_000 }

/** Renews the lease of a job until `end`, and stores its progress. */
export function renewLease({ jobs, log, now }: RenewLeasePorts, job: ClaimedJob, { renewMs, progressMs }: LeaseTimes): Lease {
  const lost = new AbortController()
  const leaseMs = Date.parse(job.leaseUntil ?? '') - now().getTime()
  let renewedAt = now().getTime()
  let unsent: Progress | undefined
  let isFailing = false
  let renewing = Promise.resolve()

  const onLost = () => lost.abort(new AppError('job_active', `Another worker has the job of ${job.project} now.`))
  const renew = async () => {
    const at = now().getTime()
    if (lost.signal.aborted || (unsent === undefined && at - renewedAt < renewMs)) return
    const progress = unsent
    unsent = undefined
    try {
      if (!(await jobs.renew(job, progress))) return onLost()
      renewedAt = at
      isFailing = false
    } catch (error) {
      unsent ??= progress
      if (!isFailing) log.warn({ job: job.id, error }, 'the lease of a job cannot be renewed')
      isFailing = true
      if (now().getTime() - renewedAt >= leaseMs) onLost()
    }
  }
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    renewing = renew().finally(() => {
      isBusy = false
    })
  }, progressMs)
  return {
    lost: lost.signal,
    report(progress) {
      unsent = { ...progress }
    },
    async end() {
      clearInterval(timer)
      await renewing
    },
  }
}
