import { z } from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { errorCodes } from '../errors.ts'
import type { ErrorResponseStatus } from '../http/route-docs.ts'

const ErrorAnswer = z
  .looseObject({
    error: z.enum(errorCodes),
    message: z.string().describe('What is wrong and what to do about it'),
    fields: z
      .array(z.object({ path: z.string().describe('The parameter or field; empty for the whole body'), message: z.string() }))
      .optional()
      .describe(
        'On every validation_error: what is wrong with each parameter or field; empty if no single one is wrong. On the tag_not_found of a preview: each name that does not exist',
      ),
    searchFilterApplied: z.boolean().optional().describe('no_libraries_found: whether a policy hides libraries that match'),
    project: z.string().optional().describe('job_active: the library that has an unfinished job'),
    status: z.string().optional().describe('job_active: the state of that job'),
    names: z.array(z.string()).optional().describe('precondition_failed: what changed since the state that If-Match names'),
    etag: z.string().optional().describe('precondition_failed: the current state, to repeat the change over it'),
    sizeBytes: z.int().optional().describe('payload_too_large: the size, if it is known'),
    limitBytes: z.int().optional().describe('payload_too_large: the limit'),
  })
  .meta({ id: 'Error', description: 'Every error outside /mcp. Errors may have more fields than these.' })

const seconds = z.int().min(1)
const waitHeaders = z.object({
  'Retry-After': seconds.describe('Seconds to wait'),
  'RateLimit-Limit': z.int().min(1).optional().describe('Requests that the limit allows, if that is known'),
  'RateLimit-Remaining': z.literal('0'),
  'RateLimit-Reset': z.int().describe('When the limit ends, in Unix seconds'),
})

const responses: Record<ErrorResponseStatus, Omit<ZodOpenApiResponseObject, 'content'>> = {
  400: { description: 'A parameter or the body is not valid' },
  401: {
    description: 'The API key is missing, unknown, expired or revoked',
    headers: z.object({ 'WWW-Authenticate': z.literal('Bearer realm="carrel"') }),
  },
  403: { description: 'The caller is not allowed to do this, or the Host or Origin header is not allowed' },
  404: { description: 'Not found' },
  409: { description: 'Conflicts with an existing library or an unfinished job, or needs a setting' },
  412: { description: 'If-Match names an older state' },
  413: { description: 'The body or the result is too large' },
  422: { description: 'The repository is larger than a limit' },
  429: { description: 'Too many requests', headers: waitHeaders },
  500: { description: 'Internal error; the log of the server has the details' },
  502: { description: 'A service that this needs cannot be reached, or failed' },
  503: {
    description: 'Temporarily unavailable, or stored data is damaged',
    headers: z.object({ 'Retry-After': seconds.optional().describe('Seconds to wait, if that is known') }),
  },
  504: { description: 'A service that this needs did not respond in time' },
  507: { description: 'The disk of the server is full' },
}

/** Error responses by status, all with the same body. */
export const errorResponses = (statuses: readonly ErrorResponseStatus[]): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    statuses.map((status) => [status, { ...responses[status], content: { 'application/json': { schema: ErrorAnswer } } }]),
  )
