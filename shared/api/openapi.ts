import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from './describe-route.ts'
import type { RegisteredRoute } from './described-routes.ts'
import { type ApiDescription, openapiDocument } from './openapi-document.ts'

/** `GET /openapi.json`, written at the first request. `routes` returns those of the whole server. */
export const openapiRoutes = (api: ApiDescription, routes: () => readonly RegisteredRoute[], tags: string[]) => {
  let document: Promise<string> | undefined
  return new Hono().get(
    '/openapi.json',
    describeRoute({
      operationId: 'getOpenApi',
      tags,
      summary: 'Get this document',
      description: 'The HTTP API, generated from the schemas that validate requests.',
      responses: { 200: json(z.record(z.string(), z.unknown()), 'The OpenAPI 3.1 document') },
    }),
    async (c) => {
      document ??= openapiDocument(api, routes()).then((written) => JSON.stringify(written))
      return c.body(await document, 200, { 'content-type': 'application/json' })
    },
  )
}
