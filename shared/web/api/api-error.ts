/** An error as the API answers it. `status` is 0 if the server cannot be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: readonly FieldError[]
  /** The names of what changed since the state that a change was based on, and the ETag of the current one. */
  readonly names: readonly string[]
  readonly etag: string | undefined
  /** The hash that an admin must confirm. */
  readonly confirm: string | undefined
  /** The code of the reason why a claim is not proven. */
  readonly reason: string | undefined
  constructor(status: number, body: ErrorBody, options?: ErrorOptions) {
    super(body.message ?? `The server answered with status ${status}.`, options)
    this.name = 'ApiError'
    this.status = status
    this.code = body.error ?? 'internal_error'
    this.fields = body.fields ?? []
    this.names = body.names ?? []
    this.etag = body.etag
    this.confirm = body.confirm
    this.reason = body.reason
  }
}

type FieldError = { path: string; message: string }
type ErrorBody = {
  error?: string
  message?: string
  fields?: readonly FieldError[]
  names?: readonly string[]
  etag?: string
  confirm?: string
  reason?: string
}

/** The errors of an answer by field, as the API says them. Empty if no field is named. */
export const fieldMessages = (error: unknown): Record<string, string> =>
  error instanceof ApiError ? Object.fromEntries(error.fields.map(({ path, message }) => [path, sentence(message)])) : {}

/** "must not be empty" → "Must not be empty"; the name of a host or the address at the beginning stays as it is. */
const sentence = (text: string): string => (/^\S*[.:]\S/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1))
