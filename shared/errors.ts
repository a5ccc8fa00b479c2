/** Every code a caller can meet, with its HTTP status. The one table for all transports. */
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
  payload_too_large: 413,
  library_too_large: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  search_failed: 503,
  timeout: 504,
  disk_full: 507,
} as const

export type ErrorCode = keyof typeof statusOf
export type ErrorStatus = (typeof statusOf)[ErrorCode]

/** The body of every error response outside `/mcp`. The fields of the error are next to `error` and `message`. */
export type ErrorBody = { error: ErrorCode; message: string; [field: string]: unknown }

/**
 * How often a job repeats what failed: `limited` if a repetition may succeed (network error, 5xx from a host), `unlimited` if the failed
 * service will return and no caller waits.
 */
export type Retry = 'never' | 'limited' | 'unlimited'

/**
 * A caller's mistake or a dependency's failure. `message` tells the caller what is wrong and what to do.
 * Anything else that is thrown is a bug and is shown as internal_error.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  /** Further fields of the response body, as the contract names them. */
  readonly fields: Record<string, unknown>
  readonly retry: Retry
  /** The time to wait before a retry, if the host says so. Sent to callers as `Retry-After`. */
  readonly retryAfterMs: number | undefined
  /** Number of requests that the exceeded rate limit allows, if known. Sent to callers as `RateLimit-Limit`. */
  readonly limitRequests: number | undefined
  /** True if callers see the message of an internal_error. */
  readonly shown: boolean
  /** True if the connection is closed after the response, because reading the rest of the request would cost too much. */
  readonly closesConnection: boolean

  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & {
      fields?: Record<string, unknown>
      retry?: Retry
      retryAfterMs?: number | undefined
      limitRequests?: number | undefined
      shown?: boolean
      closesConnection?: boolean
    },
  ) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
    this.fields = options?.fields ?? {}
    this.retry = options?.retry ?? 'never'
    this.retryAfterMs = options?.retryAfterMs
    this.limitRequests = options?.limitRequests
    this.shown = options?.shown ?? code !== 'internal_error'
    this.closesConnection = options?.closesConnection ?? false
  }

  get status(): ErrorStatus {
    return statusOf[this.code]
  }
}

/** True if a repetition may succeed. */
export const isTransient = (error: unknown): error is AppError => error instanceof AppError && error.retry !== 'never'

/** A validation_error about one parameter or field: `fields` names it, and the message is `<path> <rule>.` */
export const invalidField = (path: string, rule: string): AppError =>
  new AppError('validation_error', `${path} ${rule}.`, { fields: { fields: [{ path, message: rule }] } })

export const errorCodes = Object.keys(statusOf) as ErrorCode[]

const internal = new AppError('internal_error', 'Something went wrong on our side. The log of the server has the details.')

/** Status, JSON body and headers of any thrown value. The message of an internal_error is only logged, unless it is `shown`. */
export function toHttp(thrown: unknown): { status: ErrorStatus; body: ErrorBody; headers: Record<string, string> } {
  const error = thrown instanceof AppError && thrown.shown ? thrown : internal
  return {
    status: error.status,
    body: {
      ...(error.code === 'validation_error' && { fields: [] }),
      ...error.fields,
      error: error.code,
      message: error.message,
    },
    headers: headersOf(error),
  }
}

/** Headers of an error response that pages of other origins may read. */
export const waitHeaders = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

/** The time that a caller should wait after a 429 if the error has no `retryAfterMs`. */
const unknownWaitMs = 30_000

function headersOf(error: AppError): Record<string, string> {
  if (error.closesConnection) return { connection: 'close' }
  if (error.status === 401) return { 'www-authenticate': 'Bearer realm="carrel"' }
  if (error.status === 429) return rateLimitHeaders(error.retryAfterMs ?? unknownWaitMs, error.limitRequests)
  return error.status === 503 && error.retryAfterMs !== undefined ? { 'retry-after': seconds(error.retryAfterMs) } : {}
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
