import type { AppError } from '../errors.ts'
import type { HostPauses } from './host-pauses.ts'

/** `refused`: the host does not show the repository. Without `dueAt`, the next regular check comes first. */
type FailedCheck = { outcome: 'refused' | 'failed'; error: string; dueAt?: Date }

type FailedRepository = {
  host: string
  /** Checks that failed since the repository last responded. */
  failures: number
  /** True if it was read without a token. */
  isPublic: boolean
}

const firstRetryMs = 10 * 60_000
const maxRetryMs = 24 * 3_600_000

/** A host that fails is paused. A repository that it does not show waits for its next regular check. */
export function failedCheck(
  { hosts, now }: { hosts: HostPauses; now(): Date },
  { host, failures, isPublic }: FailedRepository,
  { code, message: error, retryAfterMs }: AppError,
): FailedCheck {
  if (code === 'access_denied' || code === 'not_found') {
    hosts.responded(host)
    const advice = isPublic
      ? ' Schedules read public repositories without a token: if it is private now, refresh the library once.'
      : ''
    return { outcome: 'refused', error: error + advice }
  }
  if (code === 'timeout' || code === 'provider_unavailable') hosts.failed(host, retryAfterMs)
  const retryMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 10))
  return { outcome: 'failed', error, dueAt: new Date(now().getTime() + retryMs) }
}
