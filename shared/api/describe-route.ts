import type { MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi'
import { type ErrorResponseStatus, type RouteDocs, withDocs } from '../http/route-docs.ts'

type Description = Pick<ZodOpenApiOperationObject, 'requestBody'> & {
  operationId: string
  tags?: string[]
  summary: string
  description: string
  responses: ZodOpenApiOperationObject['responses']
  /** Errors that neither `errorsOfAll` of the half nor another middleware of the route documents. */
  errors?: readonly ErrorResponseStatus[]
  onlyErrors?: RouteDocs['onlyErrors']
}

/** Headers and errors that only one half returns from a route of both. */
export type RouteAdditions = { headers?: z.ZodObject; errors?: readonly ErrorResponseStatus[] }

/** Describes a route in the OpenAPI document. Access, parameters and body are described by the middleware that checks them. */
export const describeRoute = (description: Description): MiddlewareHandler =>
  withDocs<MiddlewareHandler>((_, next) => next(), description satisfies RouteDocs)

export const json = (schema: z.ZodType, description: string, headers?: z.ZodObject): ZodOpenApiResponseObject => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema } },
})
