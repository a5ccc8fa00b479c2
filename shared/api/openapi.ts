import { Hono } from 'hono'
import { z } from 'zod'
import type { ZodOpenApiComponentsObject, ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { keyHeaders } from '../http/request-key.ts'
import { errors, json, keyNeeded, type Operations } from './operations.ts'

export type ApiDescription = {
  /** In the order in which they are shown. */
  tags: string[]
  /** What callers send as the bearer, for people. */
  bearer: string
  /** Name of the session cookie, if people can sign in. */
  sessionCookie?: string
  operations: Operations
  /** Errors that every operation may return. */
  commonErrors: ZodOpenApiResponsesObject
  /** Of this document's own operation. */
  ownTags?: string[]
}

type SecuritySchemes = NonNullable<ZodOpenApiComponentsObject['securitySchemes']>

const describeItself = (tags: string[]): Operations => ({
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags,
      summary: 'Get this document',
      description: 'The HTTP API, generated from the schemas that validate requests.',
      security: [],
      responses: { 200: json(z.record(z.string(), z.unknown()), 'The OpenAPI 3.1 document') },
    },
  },
})

/** `GET /openapi.json`, written at the first request. */
export const openapiRoutes = (api: ApiDescription) => {
  let document: Promise<object> | undefined
  return new Hono().get('/openapi.json', async (c) => {
    document ??= writeDocument(api)
    return c.json(await document)
  })
}

/** The OpenAPI document of one half. */
export async function writeDocument(api: ApiDescription): Promise<object> {
  const { createDocument } = await import('zod-openapi')
  const { tags, bearer, sessionCookie, operations, commonErrors, ownTags = [] } = api
  const securitySchemes: SecuritySchemes = { bearer: { type: 'http', scheme: 'bearer', description: bearer } }
  for (const name of keyHeaders) if (name !== 'authorization') securitySchemes[name] = { type: 'apiKey', in: 'header', name }
  if (sessionCookie) securitySchemes.session = sessionScheme(sessionCookie)
  const anyKey = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))
  const complete = (operation: ZodOpenApiOperationObject): ZodOpenApiOperationObject => ({
    ...operation,
    ...(operation.security === keyNeeded && { security: anyKey }),
    // Too many bodies may arrive at once.
    responses: withRequestId({ ...commonErrors, ...(operation.requestBody && errors(503)), ...operation.responses }),
  })
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Carrel API', version: '2.0.0', description: 'Documentation of software libraries for AI coding agents' },
    servers: [{ url: '/api' }],
    tags: tags.map((name) => ({ name })),
    security: [{}, ...anyKey],
    components: { securitySchemes },
    paths: mapOperations({ ...operations, ...describeItself(ownTags) }, complete),
  })
}

const sessionScheme = (name: string) => ({
  type: 'apiKey' as const,
  in: 'cookie' as const,
  name,
  description: `A session of the web UI; over https the cookie is named __Secure-${name}. Writes need an Origin header of this server.`,
})

const mapOperations = (
  operations: Operations,
  change: (operation: ZodOpenApiOperationObject) => ZodOpenApiOperationObject,
): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, each]) => [method, change(each as ZodOpenApiOperationObject)])),
    ]),
  )

const RequestId = z.uuid().describe('Id of the request, as in the log')

function withRequestId(responses: ZodOpenApiResponsesObject): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers } = response as { headers?: z.ZodObject }
      const shape = { ...headers?.shape, 'X-Request-Id': RequestId }
      return [status, { ...response, headers: z.object(shape) }]
    }),
  )
}
