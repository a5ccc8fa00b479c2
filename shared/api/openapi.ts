import { Hono } from 'hono'
import { z } from 'zod'
import { json, type Operations } from './operations.ts'

export type ApiDescription = {
  /** In the order in which they are shown. */
  tags: string[]
  /** What callers send as the bearer, for people. */
  bearer: string
  operations: Operations
  /** Of this document's own operation. */
  ownTags?: string[]
}

const describeItself = (tags: string[]): Operations => ({
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags,
      summary: 'This document',
      description: 'The whole HTTP API, made of the schemas that requests are checked with.',
      security: [],
      responses: { 200: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1') },
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

async function writeDocument({ tags, bearer, operations, ownTags = [] }: ApiDescription): Promise<object> {
  const { createDocument } = await import('zod-openapi')
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Carrel API', version: '2.0.0', description: 'Documentation of software libraries for AI coding agents' },
    servers: [{ url: '/api' }],
    tags: tags.map((name) => ({ name })),
    security: [{}, { apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: bearer } } },
    paths: { ...operations, ...describeItself(ownTags) },
  })
}
