import { Hono } from 'hono'
import { addRoutes } from '../shared/api/add-library.ts'
import { type ContextAnswerPorts, contextRoutes } from '../shared/api/context.ts'
import { readable } from '../shared/api/json-body.ts'
import { metricsRoutes } from '../shared/api/metrics.ts'
import { openapiRoutes } from '../shared/api/openapi.ts'
import { type SearchPorts, searchRoutes } from '../shared/api/search.ts'
import { AppError } from '../shared/errors.ts'
import { failure } from '../shared/http/failure.ts'
import { logRequests } from '../shared/http/log-requests.ts'
import { onlyAsLoopback } from '../shared/http/loopback-host.ts'
import { refusal } from '../shared/http/refusal.ts'
import { type McpAnswers, mcpRoutes } from '../shared/mcp/mcp-routes.ts'
import { asDamage } from '../shared/store/database.ts'
import { type AccessEnv, allow } from './access.ts'
import { noteUnnamedProxies } from './accounts/unnamed-proxies.ts'
import { admit } from './answers/admit.ts'
import { askContext, askSearch } from './answers/ask.ts'
import { askMetrics } from './answers/metrics.ts'
import type { App } from './app.ts'
import { identify } from './identify.ts'
import { allowedOrigins, onlyLocalOrigins } from './origin.ts'
import { accountRoutes } from './rest/account.ts'
import { addPorts } from './rest/add-library.ts'
import { auditRoutes } from './rest/audit.ts'
import { installApi } from './rest/describe-api.ts'
import { healthRoutes } from './rest/health.ts'
import { importRoutes } from './rest/import-libraries.ts'
import { jobRoutes } from './rest/jobs.ts'
import { keyRoutes } from './rest/keys.ts'
import { licenseRoutes } from './rest/license.ts'
import { parseRoutes } from './rest/parse.ts'
import { installPolicyRoutes } from './rest/policies.ts'
import { projectRoutes } from './rest/projects.ts'
import { reindexRoutes } from './rest/reindex.ts'
import { sessionRoutes } from './rest/session.ts'
import { settingsRoutes } from './rest/settings.ts'
import { supportBundleRoutes } from './rest/support-bundle.ts'
import { userRoutes } from './rest/users.ts'
import { askerOf } from './usage/asker.ts'

/** Every route of an install, and the one translation of errors. `ready` says whether questions can be answered. */
export function createServer(app: App, ready: () => Promise<boolean>): Hono<AccessEnv> {
  const server = new Hono<AccessEnv>()
  server.use(logRequests(app), onlyAsLoopback(app.loopback), onlyLocalOrigins(app), noteUnnamedProxies(app), identify(app))
  server.use('/mcp', allowedOrigins(app))
  const search: SearchPorts['search'] = (query, c, signal) =>
    admit(app, c, signal, (admitted) => askSearch(admitted, query, askerOf(app, c, 'http'), signal))
  const context: ContextAnswerPorts['context'] = (query, c, signal) =>
    admit(app, c, signal, (admitted) => askContext(admitted, query, askerOf(app, c, 'http'), signal))
  server.route('/api', searchRoutes({ search }, allow(app, 'read')))
  server.route('/api', contextRoutes({ context }, allow(app, 'read')))
  server.route('/api', metricsRoutes({ metrics: (query) => askMetrics(app, query) }, allow(app, 'member')))
  server.route('/api', addRoutes(addPorts(app), { add: allow(app, 'parse'), refresh: allow(app, 'refresh') }))
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
    search: (query, c, signal) => admit(app, c, signal, (admitted) => askSearch(admitted, query, askerOf(app, c, 'mcp'), signal)),
    context: (query, c, signal, client) =>
      admit(app, c, signal, (admitted) => askContext(admitted, query, askerOf(app, c, 'mcp', client.name), signal)),
  }
  server.route('/', mcpRoutes(app, mcpAnswers, allow(app, 'mcp')))
  server.notFound((c) =>
    refusal(new AppError('not_found', `There is no ${c.req.method} ${c.req.path.slice(0, 100)}.`), c.req.path),
  )
  server.onError((thrown, c) => {
    app.damage.note(thrown)
    const error = asDamage(readable(thrown))
    return failure(app, error, c)
  })
  return server
}
