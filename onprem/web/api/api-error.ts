/** An error as the API answers it. `status` is 0 if the server cannot be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: readonly FieldError[]
  constructor(status: number, body: ErrorBody, options?: ErrorOptions) {
    super(body.message ?? `The server answered with status ${status}.`, options)
    this.name = 'ApiError'
    this.status = status
    this.code = body.error ?? 'internal_error'
    this.fields = body.fields ?? []
  }
}

export type FieldError = { path: string; message: string }
type ErrorBody = { error?: string; message?: string; fields?: readonly FieldError[] }
