import { z } from 'zod'
import type { ZodOpenApiComponentsObject, ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { requestIdPattern } from '../http/log-requests.ts'
import { keyHeaders } from '../http/request-key.ts'
import type { ErrorResponseStatus } from '../http/route-docs.ts'
import { apiVersion } from '../system/package-version.ts'
import { type DescribedRoute, describedRoutes, type RegisteredRoute } from './described-routes.ts'
import { errorResponses } from './error-responses.ts'

/** The OpenAPI document of one half without its routes. */
export type ApiDescription = {
  /** The tags in the order in which they are shown. */
  tags: string[]
  /** Describes the bearer token to people. */
  bearer: string
  /** Name of the session cookie, if people can sign in. */
  sessionCookie?: string
  /** The address of the API, if it is not `/api` on the host of the document. */
  url?: string
  /** Errors that every route may return. */
  errorsOfAll: readonly ErrorResponseStatus[]
}

type SecuritySchemes = NonNullable<ZodOpenApiComponentsObject['securitySchemes']>
type Security = NonNullable<ZodOpenApiOperationObject['security']>

/** The OpenAPI document of one half, from the routes of its server. Loads zod-openapi. */
export async function openapiDocument(api: ApiDescription, routes: readonly RegisteredRoute[]): Promise<object> {
  const { createDocument } = await import('zod-openapi')
  const securitySchemes: SecuritySchemes = { bearer: { type: 'http', scheme: 'bearer', description: api.bearer } }
  for (const name of keyHeaders) if (name !== 'authorization') securitySchemes[name] = { type: 'apiKey', in: 'header', name }
  if (api.sessionCookie) securitySchemes.session = sessionScheme(api.sessionCookie)
  const anyKey: Security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const { method, path, docs } of describedRoutes(routes))
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(docs, api.errorsOfAll, anyKey) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Carrel API',
      version: apiVersion,
      description: 'Documentation of software libraries for AI coding agents',
    },
    servers: [{ url: api.url ?? '/api' }],
    tags: api.tags.map((name) => ({ name })),
    security: [{}, ...anyKey],
    components: { securitySchemes },
    paths,
  })
}

function operation(
  { access, errors = [], onlyErrors, ...docs }: DescribedRoute['docs'],
  errorsOfAll: readonly ErrorResponseStatus[],
  anyKey: Security,
): ZodOpenApiOperationObject {
  // A route with a body can return 503 because too many bodies arrive at the same time.
  const statuses = onlyErrors ?? [...errorsOfAll, ...errors, ...(docs.requestBody ? ([503] as const) : [])]
  const security = access === undefined ? [] : access.needsKey ? anyKey : undefined
  const responses = withRequestId({ ...errorResponses(statuses), ...docs.responses })
  return { ...docs, ...(security && { security }), ...(access && { 'x-carrel-caller': access.caller }), responses }
}

const sessionScheme = (name: string) => ({
  type: 'apiKey' as const,
  in: 'cookie' as const,
  name,
  description: `A session of the web UI; over https the cookie is named __Host-${name}, or __Secure-${name} below a path. Writes need an Origin header of this server.`,
})

const RequestId = z
  .string()
  .regex(requestIdPattern)
  .describe('Id of the request, as in the log: the X-Request-Id of the request, or a new one')

function withRequestId(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers } = response as { headers?: z.ZodObject }
      const shape = { ...headers?.shape, 'X-Request-Id': RequestId }
      return [status, { ...response, headers: z.object(shape) }]
    }),
  )
}
