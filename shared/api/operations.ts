import { z } from 'zod'
import type { ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { type ErrorCode, errorCodes } from '../errors.ts'

/** What a routes file says of its paths: the OpenAPI document is made of these. */
export type Operations = ZodOpenApiPathsObject

const ErrorAnswer = z
  .object({ error: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]), message: z.string() })
  .meta({ id: 'Error', description: 'Every error outside /mcp; more fields may stand beside the two' })

export const json = (schema: z.ZodType, description: string) => ({ description, content: { 'application/json': { schema } } })

/** For an operation that no setting opens to callers without a key. */
export const keyNeeded = [{ apiKey: [] }]

/** Error answers by status, all of the one shape. */
export const errors = (
  ...statuses: (400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503 | 504)[]
): ZodOpenApiResponsesObject => Object.fromEntries([...statuses, 500].map((status) => [status, json(ErrorAnswer, 'Error')]))
