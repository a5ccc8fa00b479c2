import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { addRoutes } from '../shared/api/add-library.ts'
import { contextRoutes } from '../shared/api/context.ts'
import { metricsRoutes } from '../shared/api/metrics.ts'
import { openapiRoutes } from '../shared/api/openapi.ts'
import { policyRoutes } from '../shared/api/policies.ts'
import { searchRoutes } from '../shared/api/search.ts'
import { AppError, waitHeaders } from '../shared/errors.ts'
import { errorResponse } from '../shared/http/error-response.ts'
import { failure } from '../shared/http/failure.ts'
import { asBodyError } from '../shared/http/json-body.ts'
import { logRequests } from '../shared/http/log-requests.ts'
import { loopbackOnly } from '../shared/http/loopback-only.ts'
import { mcpRoutes } from '../shared/mcp/mcp-routes.ts'
import { type CallerEnv, type CallerPorts, identify, requireCaller } from './access/caller.ts'
import { requestUsage } from './access/request-usage.ts'
import { requireRouter } from './access/require-router.ts'
import type { ExportPorts } from './bundles/export-library.ts'
import type { Hosted } from './hosted.ts'
import { addPorts } from './jobs/add-ports.ts'
import { answerContext } from './queries/answer-context.ts'
import { answerMetrics } from './queries/answer-metrics.ts'
import { answerSearch } from './queries/answer-search.ts'
import { policyPorts } from './queries/policy-ports.ts'
import { hostedApi } from './routes/describe-api.ts'
import { exportRoutes } from './routes/export.ts'
import { healthRoutes } from './routes/health.ts'

/** Every route of the hosted half but the export, which streams. */
export function createApi(hosted: Hosted): Hono<CallerEnv> {
  const server = base(hosted)
  const who = identify(hosted)
  server.use('/api/v1/*', who).use('/api/v2/*', who).use('/mcp', who)
  server.route(
    '/api',
    searchRoutes(
      { search: (query, c, signal) => answerSearch(hosted, query, c.get('caller'), signal) },
      requireCaller('anybody'),
    ),
  )
  server.route(
    '/api',
    contextRoutes(
      {
        context: (query, c, signal) =>
          answerContext(hosted, query, { caller: c.get('caller'), usage: requestUsage(hosted, c, 'http') }, signal),
      },
      requireCaller('anybody'),
    ),
  )
  server.route(
    '/api',
    metricsRoutes({ metrics: (query, c) => answerMetrics(hosted, query, c.get('caller')) }, requireCaller('teamspace')),
  )
  server.route('/api', policyRoutes(policyPorts(hosted), requireCaller('license')))
  server.route('/api', addRoutes(addPorts(hosted), { add: requireCaller('teamspace'), refresh: requireCaller('teamspace') }))
  server.route('/api', healthRoutes(hosted))
  server.route('/api', openapiRoutes(hostedApi))
  server.route('/', mcp(hosted))
  return server
}

/** What the export needs of a hosted half. */
export type ExportHosted = Base & CallerPorts & ExportPorts

/** `POST /api/v1/enterprise/export` alone, for the function that streams. */
export function createExport(hosted: ExportHosted): Hono<CallerEnv> {
  const server = base(hosted)
  server.use('/api/v1/*', identify(hosted))
  server.route('/api', exportRoutes(hosted, requireCaller('offline license')))
  return server
}

/** All routes in one, for a process of its own. */
export function createServer(hosted: Hosted): Hono<CallerEnv> {
  const server = createApi(hosted)
  server.route('/api', exportRoutes(hosted, requireCaller('offline license')))
  return server
}

type Base = Pick<Hosted, 'log' | 'loopback' | 'originSecrets'>

function base({ log, loopback, originSecrets }: Base): Hono<CallerEnv> {
  const server = new Hono<CallerEnv>()
  server.use(
    logRequests({ log }),
    forNobodyElse,
    loopbackOnly(loopback),
    cors({ origin: '*', exposeHeaders: ['x-carrel-search', 'mcp-protocol-version', ...waitHeaders] }),
    requireRouter(originSecrets),
  )
  server.notFound((c) =>
    errorResponse(new AppError('not_found', `There is no ${c.req.method} ${c.req.path.slice(0, 100)}.`), c.req.path),
  )
  server.onError((thrown, c) => failure({ log }, asBodyError(thrown), c))
  return server
}

/** What one caller reads is not kept for another on the way: answers depend on the caller's key, errors too. */
const forNobodyElse = createMiddleware(async (c, next) => {
  await next()
  c.header('cache-control', 'private, no-store')
})

const mcp = (hosted: Hosted) =>
  mcpRoutes(
    hosted,
    {
      search: (query, c, signal) => answerSearch(hosted, query, c.get('caller'), signal),
      context: (query, c, signal, client) =>
        answerContext(hosted, query, { caller: c.get('caller'), usage: requestUsage(hosted, c, 'mcp', client.name) }, signal),
    },
    requireCaller('anybody'),
  )
