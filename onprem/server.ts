import { Hono } from 'hono'
import { addRoutes } from '../shared/api/add-library.ts'
import { type ContextAnswerPorts, contextRoutes } from '../shared/api/context.ts'
import { metricsRoutes } from '../shared/api/metrics.ts'
import { openapiRoutes } from '../shared/api/openapi.ts'
import { type SearchPorts, searchRoutes } from '../shared/api/search.ts'
import { AppError } from '../shared/errors.ts'
import { errorResponse } from '../shared/http/error-response.ts'
import { failure } from '../shared/http/failure.ts'
import { asBodyError } from '../shared/http/json-body.ts'
import { logRequests } from '../shared/http/log-requests.ts'
import { loopbackOnly } from '../shared/http/loopback-only.ts'
import { parseLibraryId } from '../shared/library.ts'
import { type McpAnswers, mcpRoutes } from '../shared/mcp/mcp-routes.ts'
import { asDamage } from '../shared/store/database.ts'
import { allowedOrigins, onlyLocalOrigins } from './access/allowed-origins.ts'
import { type CallerEnv, requireRight } from './access/caller.ts'
import { identify } from './access/identify.ts'
import { requestUsage } from './access/request-usage.ts'
import { noteUnnamedProxies } from './accounts/unnamed-proxies.ts'
import type { App } from './app.ts'
import { admit } from './queries/admit.ts'
import { answerContext } from './queries/answer-context.ts'
import { answerMetrics } from './queries/answer-metrics.ts'
import { answerSearch } from './queries/answer-search.ts'
import { accountRoutes } from './routes/account.ts'
import { addPorts } from './routes/add-library.ts'
import { auditRoutes } from './routes/audit.ts'
import { installApi } from './routes/describe-api.ts'
import { healthRoutes } from './routes/health.ts'
import { importRoutes } from './routes/import-libraries.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { licenseRoutes } from './routes/license.ts'
import { parseRoutes } from './routes/parse.ts'
import { installPolicyRoutes } from './routes/policies.ts'
import { projectRoutes } from './routes/projects.ts'
import { reindexRoutes } from './routes/reindex.ts'
import { sessionRoutes } from './routes/session.ts'
import { settingsRoutes } from './routes/settings.ts'
import { supportBundleRoutes } from './routes/support-bundle.ts'
import { userRoutes } from './routes/users.ts'

/** Every route of an install, and the one translation of errors. `ready` says whether questions can be answered. */
export function createServer(app: App, ready: () => Promise<boolean>): Hono<CallerEnv> {
  const server = new Hono<CallerEnv>()
  server.use(logRequests(app), loopbackOnly(app.loopback), onlyLocalOrigins(app), noteUnnamedProxies(app), identify(app))
  server.use('/mcp', allowedOrigins(app))
  const search: SearchPorts['search'] = (query, c, signal) =>
    admit(app, c, signal, (admitted) => answerSearch(admitted, query, requestUsage(app, c, 'http'), signal))
  const context: ContextAnswerPorts['context'] = (query, c, signal) =>
    admit(app, c, signal, (admitted) => answerContext(admitted, query, requestUsage(app, c, 'http'), signal))
  server.route('/api', searchRoutes({ search }, requireRight(app, 'read')))
  server.route('/api', contextRoutes({ context }, requireRight(app, 'read')))
  server.route(
    '/api',
    metricsRoutes(
      { metrics: ({ libraryId, days }) => answerMetrics(app, { id: parseLibraryId(libraryId), days }) },
      requireRight(app, 'member'),
    ),
  )
  server.route('/api', addRoutes(addPorts(app), { add: requireRight(app, 'parse'), refresh: requireRight(app, 'refresh') }))
  server.route('/api', parseRoutes(app))
  server.route('/api', projectRoutes(app))
  server.route('/api', importRoutes(app))
  server.route('/api', jobRoutes(app))
  server.route('/api', reindexRoutes(app))
  server.route('/api', settingsRoutes(app))
  server.route('/api', installPolicyRoutes(app))
  server.route('/api', healthRoutes(app, ready))
  for (const accounts of [sessionRoutes, accountRoutes, userRoutes, keyRoutes, auditRoutes, licenseRoutes])
    server.route('/api', accounts(app))
  server.route('/api', supportBundleRoutes(app))
  server.route('/api', openapiRoutes(installApi))
  const mcpAnswers: McpAnswers = {
    search: (query, c, signal) =>
      admit(app, c, signal, (admitted) => answerSearch(admitted, query, requestUsage(app, c, 'mcp'), signal)),
    context: (query, c, signal, client) =>
      admit(app, c, signal, (admitted) => answerContext(admitted, query, requestUsage(app, c, 'mcp', client.name), signal)),
  }
  server.route('/', mcpRoutes(app, mcpAnswers, requireRight(app, 'mcp')))
  server.notFound((c) =>
    errorResponse(new AppError('not_found', `There is no ${c.req.method} ${c.req.path.slice(0, 100)}.`), c.req.path),
  )
  server.onError((thrown, c) => {
    app.damage.note(thrown)
    const error = asDamage(asBodyError(thrown))
    return failure(app, error, c)
  })
  return server
}
