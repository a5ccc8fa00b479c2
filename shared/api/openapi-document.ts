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
  /** Describes the bearer token to people. Absent if no key is accepted. */
  bearer?: string
  /** Name of the session cookie, if people can sign in. */
  sessionCookie?: string
  /** The address of the API, if it is not `/api` on the host of the document. */
  url?: string
  /** Path parameters that no route validates, by name. */
  pathParameters?: Record<string, z.ZodType>
  /** Errors that every route may return. */
  errorsOfAll: readonly ErrorResponseStatus[]
}

type SecuritySchemes = NonNullable<ZodOpenApiComponentsObject['securitySchemes']>
type Security = NonNullable<ZodOpenApiOperationObject['security']>

/** The OpenAPI document of one half, from the routes of its server. Loads zod-openapi. */
export async function openapiDocument(api: ApiDescription, routes: readonly RegisteredRoute[]): Promise<object> {
  const { createDocument } = await import('zod-openapi')
  const securitySchemes = securitySchemesOf(api)
  const anyKey: Security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const { method, path, isBelowApi, docs } of describedRoutes(routes)) {
    const described = operation(withPathParameters(path, docs, api), api.errorsOfAll, anyKey)
    const servers = isBelowApi ? {} : { servers: [{ url: '/' }] }
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...described, ...servers } }
  }
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

function securitySchemesOf({ bearer, sessionCookie }: ApiDescription): SecuritySchemes {
  const otherHeaders = keyHeaders.filter((name) => name !== 'authorization')
  return {
    ...(bearer !== undefined && {
      bearer: { type: 'http', scheme: 'bearer', description: bearer },
      ...Object.fromEntries(otherHeaders.map((name) => [name, { type: 'apiKey' as const, in: 'header' as const, name }])),
    }),
    ...(sessionCookie !== undefined && { session: sessionScheme(sessionCookie) }),
  }
}

function withPathParameters(
  path: string,
  docs: DescribedRoute['docs'],
  { pathParameters }: ApiDescription,
): DescribedRoute['docs'] {
  if (pathParameters === undefined) return docs
  const validated = (docs.requestParams?.path as z.ZodObject | undefined)?.shape ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = z.object(Object.fromEntries(names.map((name) => [name, validated[name] ?? pathParameters[name] ?? z.string()])))
  return names.length === 0 ? docs : { ...docs, requestParams: { ...docs.requestParams, path: inPath } }
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
