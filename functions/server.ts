import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { addLibraryRoutes } from '../shared/api/add-library.ts'
import { CheckedHeader } from '../shared/api/checked-header.ts'
import { contextRoutes } from '../shared/api/context.ts'
import { knownIds } from '../shared/api/known-ids.ts'
import { metricsFailures, metricsRoutes } from '../shared/api/metrics.ts'
import { openapiRoutes } from '../shared/api/openapi.ts'
import { pagesRoutes } from '../shared/api/pages.ts'
import { policyPreviewRoutes, policyRoutes } from '../shared/api/policies.ts'
import { searchRoutes } from '../shared/api/search.ts'
import { dropConnectionHeaders } from '../shared/http/drop-connection-headers.ts'
import { handleErrors } from '../shared/http/handle-errors.ts'
import { logRequests, requestLog } from '../shared/http/log-requests.ts'
import { loopbackOnly } from '../shared/http/loopback-only.ts'
import { pathBelow } from '../shared/http/path-below.ts'
import { waitHeaders } from '../shared/http/to-http.ts'
import type { McpClient } from '../shared/mcp/mcp-handler.ts'
import { mcpRoutes } from '../shared/mcp/mcp-routes.ts'
import type { Entry } from '../shared/usage/surface-of.ts'
import { awsRequestIds } from './access/aws-request-ids.ts'
import { type Caller, type CallerEnv, type CallerPorts, identify, requireCaller } from './access/caller.ts'
import { type KnownIdPorts, knownIdFor } from './access/known-id-for.ts'
import { requestUsage, viewerAddress } from './access/request-usage.ts'
import { requireRouter } from './access/require-router.ts'
import type { ExportPorts } from './bundles/export-library.ts'
import type { LargeExportPorts } from './bundles/large-export.ts'
import type { Hosted } from './hosted.ts'
import { addPorts } from './jobs/add-ports.ts'
import { anonymous } from './pages/anonymous.ts'
import { countView } from './pages/count-view.ts'
import type { PagesEnv } from './pages/page-headers.ts'
import { publicPages } from './pages/public-pages.ts'
import { answerContext } from './queries/answer-context.ts'
import { answerMetrics } from './queries/answer-metrics.ts'
import { answerPages } from './queries/answer-pages.ts'
import { answerSearch } from './queries/answer-search.ts'
import { policyPorts } from './queries/policy-ports.ts'
import { readableLibraries } from './queries/readable-libraries.ts'
import { addSourceRoutes } from './routes/add-sources.ts'
import { checkedHeader } from './routes/checked-header.ts'
import { clientProgramRoutes } from './routes/client-program.ts'
import { compressAnswers } from './routes/compress-answers.ts'
import { exportRoutes } from './routes/export.ts'
import { healthRoutes } from './routes/health.ts'
import { hostedApi } from './routes/hosted-api.ts'
import { takedownRoutes } from './routes/takedowns.ts'
import { asUnavailable } from './routes/unavailable-service.ts'
import { viewRoutes } from './routes/view.ts'

/** The type of the API, for Hono's typed client: `hc<AppType>(url).api.v2.libs.search.$get({ query })`. */
export type AppType = ReturnType<typeof createServer>

/** Every route except the export, which streams. */
export function createApi(hosted: Hosted) {
  const server = base(hosted)
  const admit = (c: Context, caller: Caller) =>
    hosted.rateLimits.request(caller, viewerAddress(c, hosted.originSecrets !== undefined))
  const identified = identify(hosted, admit)
  server.use(compressAnswers('/api/v1/enterprise/export'))
  server.use('/api/v2/libs/metrics', metricsFailures)
  server.use('/api/v1/*', identified).use('/api/v2/*', identified).use('/mcp', identified)
  server.use(namedFor(hosted))
  const exports = new Hono().route('/api', publicExport(hosted))
  const api = server
    .route('/', mcpRoutes(hosted, { ...answers(hosted, 'mcp'), admit: afterFirstCall(admit) }, requireCaller('anybody')))
    .route('/', clientProgramRoutes(hosted))
    .route('/api', apiRoutes(hosted))
    .route('/api', healthRoutes(hosted))
    .route(
      '/api',
      openapiRoutes(hostedApi, () => [...server.routes, ...exports.routes], []),
    )
  server.route('/', publicPages(hosted))
  return api
}

/** The first call of an MCP request is counted with the request. */
const afterFirstCall = (admit: (c: Context, caller: Caller) => Promise<void>) => async (c: Context) => {
  if (c.get('hasCalled')) await admit(c, c.get('caller'))
  c.set('hasCalled', true)
}

const apiRoutes = (hosted: Hosted) => {
  const anybody = requireCaller('anybody')
  const teamspace = requireCaller('teamspace')
  const adding = requireCaller('teamspace', 'read+add')
  const anyKey = requireCaller('key')
  const policies = policyPorts(hosted)
  const http = answers(hosted, 'http')
  return new Hono<CallerEnv>()
    .route('/', searchRoutes(http, anybody))
    .use('/v2/context', checkedHeader(hosted))
    .route('/', contextRoutes(http, anybody, { headers: CheckedHeader }))
    .route('/', pagesRoutes(http, anybody))
    .route('/', viewRoutes({ view: (id, c) => countView(hosted, id, requestUsage(hosted, c, 'http')) }, anybody))
    .route('/', metricsRoutes({ metrics: (query, c) => answerMetrics(hosted, query, c.get('caller')) }, teamspace))
    .route('/', policyRoutes(policies, { read: anyKey, change: requireCaller('key', 'admin') }, { errors: [503] }))
    .route('/', policyPreviewRoutes(policies, anyKey, { errors: [503] }))
    .route('/', takedownRoutes(hosted, anybody))
    .route('/', addLibraryRoutes(addPorts(hosted), { add: adding, refresh: adding }, { add: [404] }))
    .route('/', addSourceRoutes(hosted, adding))
}

/** The ports of the export. */
export type ExportHosted = Base & CallerPorts & ExportPorts & LargeExportPorts & KnownIdPorts

/** Serves only `POST /api/v1/enterprise/export`, for the function that streams. */
export function createExport(hosted: ExportHosted): Hono<CallerEnv> {
  const server = base(hosted)
  server.use('/api/v1/*', identify(hosted), namedFor(hosted))
  return server.route('/api', publicExport(hosted))
}

/** Every route, for a single process. */
export const createServer = (hosted: Hosted) => createApi(hosted).route('/api', publicExport(hosted))

const publicExport = (hosted: ExportHosted) => exportRoutes(hosted, requireCaller('offline license'))

/** Pages and their assets have no caller, and show what everybody may see. */
const namedFor = (hosted: KnownIdPorts) => knownIds((id, c) => knownIdFor(hosted, id, c.get('caller') ?? anonymous))

type Base = Pick<Hosted, 'log' | 'loopback' | 'originSecrets' | 'onForeign'>

function base({ log, loopback, originSecrets, onForeign }: Base): Hono<CallerEnv> {
  const server = new Hono<CallerEnv>({ getPath: pathBelow('') })
  server.use(
    // The first, so that a flood of requests around the Router costs no work and writes no log.
    requireRouter(originSecrets, onForeign),
    dropConnectionHeaders(),
    logRequests({ log, outerIds: originSecrets && awsRequestIds }),
    neverCached,
    loopbackOnly(loopback),
    cors({ origin: '*', exposeHeaders: ['etag', 'x-carrel-search', 'x-carrel-checked', 'mcp-protocol-version', ...waitHeaders] }),
  )
  handleErrors(server, { log }, (error, c) => {
    const known = asUnavailable(error)
    if (known !== error) requestLog(c, log).error({ error }, 'a store does not respond')
    return known
  })
  return server
}

/** Responses depend on the caller's key, errors too, so no cache may keep them. Public pages, which ignore it, say otherwise. */
const neverCached = createMiddleware<PagesEnv>(async (c, next) => {
  await next()
  const shared = c.res.status < 400 ? c.get('cacheControl') : undefined
  c.header('cache-control', shared ?? 'private, no-store')
})

type SearchInput = Parameters<typeof answerSearch>[1]
type ContextInput = Parameters<typeof answerContext>[1]

/** Searches and contexts for one surface. */
const answers = (hosted: Hosted, entry: Entry) => ({
  search: (query: SearchInput, c: Context, signal: AbortSignal) => answerSearch(hosted, query, c.get('caller'), signal),
  questions(c: Context, signal: AbortSignal, client?: McpClient) {
    const caller = c.get('caller')
    const usage = requestUsage(hosted, c, entry, client?.name)
    return {
      ask: (query: ContextInput) => answerContext(hosted, query, { caller, usage }, signal),
      probe: (query: ContextInput) => answerContext(hosted, query, { caller, usage: undefined }, signal),
      readable: () => readableLibraries(hosted, caller),
    }
  },
  pages: (c: Context, _signal: AbortSignal, client?: McpClient) =>
    answerPages(hosted, c.get('caller'), requestUsage(hosted, c, entry, client?.name)),
})
