import type { ZodOpenApiOperationObject } from 'zod-openapi'

/** Statuses of error responses that the OpenAPI document describes. */
export type ErrorResponseStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 422 | 429 | 500 | 502 | 503 | 504 | 507

/** The part of one handler of a route in its OpenAPI operation. */
export type RouteDocs = Partial<Omit<ZodOpenApiOperationObject, 'security'>> & {
  /** The callers of the route. A route without access control is open to everyone and ignores keys. */
  access?: { caller: string; needsKey: boolean }
  errors?: readonly ErrorResponseStatus[]
  /** All errors of the route, if the specification lists them. */
  onlyErrors?: readonly ErrorResponseStatus[]
}

const docs = new WeakMap<object, RouteDocs>()

/** Attaches docs to a middleware, so that what it checks and what the OpenAPI document says cannot differ. */
export function withDocs<Middleware extends object>(middleware: Middleware, own: RouteDocs): Middleware {
  docs.set(middleware, own)
  return middleware
}

export const routeDocs = (handler: object): RouteDocs => docs.get(handler) ?? {}
