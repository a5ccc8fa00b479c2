/** Every code of an error response. */
export const errorCodes = [
  'validation_error',
  'invalid_library_id',
  'invalid_api_key',
  'spending_limit_exceeded',
  'access_denied',
  'forbidden',
  'library_not_found',
  'tag_not_found',
  'no_snippets_found',
  'no_libraries_found',
  'team_not_found',
  'user_not_found',
  'not_found',
  'duplicate_repo',
  'job_active',
  'not_configured',
  'precondition_failed',
  'payload_too_large',
  'library_too_large',
  'rate_limit_exceeded',
  'internal_error',
  'provider_unavailable',
  'search_failed',
  'data_damaged',
  'temporarily_unavailable',
  'timeout',
  'disk_full',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** Codes of processes that send no responses: a server that does not start, and a command. */
type ProcessCode = 'cannot_start' | 'command_failed'

/**
 * How often a job repeats what failed: `limited` if a repetition may succeed (network error, 5xx from a host), `unlimited` if the failed
 * service will return and no caller waits, `once` if a repetition rarely helps.
 */
export type Retry = 'never' | 'once' | 'limited' | 'unlimited'

/**
 * A caller's mistake or a dependency's failure. `message` tells the caller what is wrong and what to do.
 * Anything else that is thrown is a bug and is shown as internal_error.
 */
export class AppError extends Error {
  readonly code: ErrorCode | ProcessCode
  /** Further fields of the response body, as the contract names them. */
  readonly fields: Record<string, unknown>
  readonly retry: Retry
  /** The time to wait before a retry, if the host says so. Sent to callers as `Retry-After`. */
  readonly retryAfterMs: number | undefined
  /** Number of requests that the exceeded rate limit allows, if known. Sent to callers as `RateLimit-Limit`. */
  readonly limitRequests: number | undefined
  /** True if the connection is closed after the response, because reading the rest of the request would cost too much. */
  readonly closesConnection: boolean

  constructor(
    code: ErrorCode | ProcessCode,
    message: string,
    options?: ErrorOptions & {
      fields?: Record<string, unknown>
      retry?: Retry
      retryAfterMs?: number | undefined
      limitRequests?: number | undefined
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
    this.closesConnection = options?.closesConnection ?? false
  }
}

/** True if a repetition may succeed. */
export const isTransient = (error: unknown): error is AppError => error instanceof AppError && error.retry !== 'never'

/** A validation_error about one parameter or field: `fields` names it, and the message is `<path> <rule>.` */
export const invalidField = (path: string, rule: string): AppError =>
  new AppError('validation_error', `${path} ${rule}.`, { fields: { fields: [{ path, message: rule }] } })
