import { Hono } from 'hono'
import { z } from 'zod'
import { contextOperations } from '../../shared/api/context.ts'
import { json, type Operations } from '../../shared/api/operations.ts'
import { searchOperations } from '../../shared/api/search.ts'
import { healthOperations } from './health.ts'
import { jobOperations } from './jobs.ts'
import { parseOperations } from './parse.ts'
import { projectOperations } from './projects.ts'

const openapiOperations: Operations = {
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: ['Health'],
      summary: 'This document',
      description: 'The whole HTTP API of this install, made of the schemas that requests are checked with.',
      security: [],
      responses: { 200: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1') },
    },
  },
}

/** Tags of the public API in its own order, then those of an install. */
const tags = ['Search', 'Context', 'Refresh', 'Policies', 'Add Library', 'Metrics', 'Parse', 'Projects', 'Jobs', 'Health']

export const openapiRoutes = () => {
  let document: Promise<object> | undefined
  return new Hono().get('/openapi.json', async (c) => {
    document ??= writeDocument()
    return c.json(await document)
  })
}

async function writeDocument(): Promise<object> {
  const { createDocument } = await import('zod-openapi')
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Carrel API', version: '2.0.0', description: 'Documentation of software libraries for AI coding agents' },
    servers: [{ url: '/api' }],
    tags: tags.map((name) => ({ name })),
    security: [{}, { apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'A personal key, carrel_op_…' } } },
    paths: {
      ...searchOperations,
      ...contextOperations,
      ...parseOperations,
      ...projectOperations,
      ...jobOperations,
      ...healthOperations,
      ...openapiOperations,
    },
  })
}
