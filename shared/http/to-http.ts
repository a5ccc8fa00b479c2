import { AppError, type ErrorCode } from '../errors.ts'

/** The one table of HTTP statuses. */
const statusOf = {
  validation_error: 400,
  invalid_library_id: 400,
  invalid_api_key: 401,
  spending_limit_exceeded: 402,
  access_denied: 403,
  forbidden: 403,
  library_not_found: 404,
  tag_not_found: 404,
  no_snippets_found: 404,
  no_libraries_found: 404,
  team_not_found: 404,
  user_not_found: 404,
  not_found: 404,
  duplicate_repo: 409,
  job_active: 409,
  not_configured: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  library_too_large: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  provider_unavailable: 502,
  search_failed: 503,
  data_damaged: 503,
  temporarily_unavailable: 503,
  timeout: 504,
  disk_full: 507,
} as const satisfies Record<ErrorCode, number>

type ErrorStatus = (typeof statusOf)[ErrorCode]

/** The body of every error response outside `/mcp`. The fields of the error are next to `error` and `message`. */
export type ErrorBody = { error: ErrorCode; message: string; [field: string]: unknown }

const internal = new AppError('internal_error', 'Something went wrong on our side. The log of the server has the details.')

/** Status, JSON body and headers of any thrown value. The message of anything but an AppError is only logged. */
export function toHttp(thrown: unknown): { status: ErrorStatus; body: ErrorBody; headers: Record<string, string> } {
  const error = thrown instanceof AppError ? thrown : internal
  const { code, fields, message } = error
  if (code === 'cannot_start' || code === 'command_failed') return toHttp(internal)
  const status = statusOf[code]
  const body = { ...(code === 'validation_error' && { fields: [] }), ...fields, error: code, message }
  return { status, body, headers: headersOf(error, status) }
}

/** Headers of an error response that pages of other origins may read. */
export const waitHeaders = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

/** The time that a caller should wait if the error has no `retryAfterMs`. */
const unknownWaitMs = 30_000

function headersOf({ code, closesConnection, limitRequests, ...error }: AppError, status: ErrorStatus): Record<string, string> {
  const retryAfterMs = error.retryAfterMs ?? (code === 'temporarily_unavailable' ? unknownWaitMs : undefined)
  if (closesConnection) return { connection: 'close' }
  if (status === 401) return { 'www-authenticate': 'Bearer realm="carrel"' }
  if (status === 429) return rateLimitHeaders(retryAfterMs ?? unknownWaitMs, limitRequests)
  return status === 503 && retryAfterMs !== undefined ? { 'retry-after': seconds(retryAfterMs) } : {}
}

/** `RateLimit-Reset` is a time in Unix seconds, as existing clients expect. */
function rateLimitHeaders(waitMs: number, limitRequests: number | undefined): Record<string, string> {
  return {
    'retry-after': seconds(waitMs),
    ...(limitRequests === undefined ? {} : { 'ratelimit-limit': String(limitRequests) }),
    'ratelimit-remaining': '0',
    'ratelimit-reset': seconds(Date.now() + waitMs),
  }
}

const seconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)))
