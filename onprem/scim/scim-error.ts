import { AppError } from '../../shared/errors.ts'
import { toHttp } from '../../shared/http/to-http.ts'

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

type ScimStatus = 400 | 401 | 403 | 404 | 409 | 413 | 429
/** The kinds of errors of RFC 7644, section 3.12, that occur here. */
type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget' | 'uniqueness'

/** An error that a provider of identities caused. */
export class ScimError extends Error {
  readonly status: ScimStatus
  readonly scimType: ScimType | undefined
  constructor(status: ScimStatus, message: string, scimType?: ScimType) {
    super(message)
    this.name = 'ScimError'
    this.status = status
    this.scimType = scimType
  }
}

export const invalid = (scimType: ScimType, message: string): ScimError => new ScimError(400, message, scimType)

/** The response to an error of a request as RFC 7644 describes it. Throws errors of this server again. */
export function scimErrorResponse(thrown: unknown): Response {
  const { status, headers, message, scimType } = read(thrown)
  const body = { schemas: [errorSchema], status: String(status), ...(scimType && { scimType }), detail: message }
  return new Response(JSON.stringify(body), { status, headers: { ...headers, 'content-type': 'application/scim+json' } })
}

function read(thrown: unknown): {
  status: number
  headers?: Record<string, string>
  message: string
  scimType?: ScimType | undefined
} {
  if (thrown instanceof ScimError) {
    const { status, message, scimType } = thrown
    return { status, message, scimType, ...(status === 401 && { headers: { 'www-authenticate': 'Bearer realm="carrel"' } }) }
  }
  if (!(thrown instanceof AppError)) throw thrown
  const { status, headers } = toHttp(thrown)
  if (status >= 500) throw thrown
  return { status, headers, message: thrown.message, scimType: thrown.code === 'validation_error' ? 'invalidValue' : undefined }
}
