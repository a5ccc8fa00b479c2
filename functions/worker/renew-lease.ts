import { AppError } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import type { ClaimedJob, Progress } from '../jobs/hosted-job.ts'
import type { HostedJobs } from '../jobs/hosted-jobs.ts'

export type LeaseTimes = {
  /** A lease is prolonged so often at least. */
  renewMs: number
  /** Progress is written so often at most. */
  progressMs: number
}

export type Lease = {
  /** Aborted where the job is in other hands, or may be. */
  lost: AbortSignal
  tell(progress: Progress): void
  end(): Promise<void>
}

type RenewLeasePorts = { jobs: Pick<HostedJobs, 'renew'>; log: Log; now(): Date }

export const defaultTimes: LeaseTimes = { renewMs: 20_000, progressMs: 2_000 }

/** Prolongs the lease of a job until `end`, and writes down how far it is. */
export function renewLease({ jobs, log, now }: RenewLeasePorts, job: ClaimedJob, { renewMs, progressMs }: LeaseTimes): Lease {
  const lost = new AbortController()
  const leaseMs = Date.parse(job.leaseUntil ?? '') - now().getTime()
  let renewedAt = now().getTime()
  let untold: Progress | undefined
  let isFailing = false
  let underWay = Promise.resolve()

  const giveUp = () => lost.abort(new AppError('job_active', `${job.project} is in the hands of another worker by now.`))
  const renew = async () => {
    const at = now().getTime()
    if (lost.signal.aborted || (untold === undefined && at - renewedAt < renewMs)) return
    const progress = untold
    untold = undefined
    try {
      if (!(await jobs.renew(job, progress))) return giveUp()
      renewedAt = at
      isFailing = false
    } catch (error) {
      untold ??= progress
      if (!isFailing) log.warn({ job: job.id, error }, 'the lease of a job cannot be prolonged')
      isFailing = true
      if (now().getTime() - renewedAt >= leaseMs) giveUp()
    }
  }
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    underWay = renew().finally(() => {
      isBusy = false
    })
  }, progressMs)
  return {
    lost: lost.signal,
    tell(progress) {
      untold = { ...progress }
    },
    async end() {
      clearInterval(timer)
      await underWay
    },
  }
}
