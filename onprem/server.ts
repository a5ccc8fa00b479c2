import { fileURLToPath } from 'node:url'
import { type Context, Hono } from 'hono'
import { contextRoutes } from '../shared/api/context.ts'
import { knownIds } from '../shared/api/known-ids.ts'
import { metricsFailures, metricsRoutes } from '../shared/api/metrics.ts'
import { openapiRoutes } from '../shared/api/openapi.ts'
import { pagesRoutes } from '../shared/api/pages.ts'
import { searchRoutes } from '../shared/api/search.ts'
import { dropConnectionHeaders } from '../shared/http/drop-connection-headers.ts'
import { endHeadBodies } from '../shared/http/end-head-bodies.ts'
import { handleErrors } from '../shared/http/handle-errors.ts'
import { logRequests } from '../shared/http/log-requests.ts'
import { pathBelow } from '../shared/http/path-below.ts'
import { noteUnnamedProxies } from '../shared/http/unnamed-proxies.ts'
import { webPages } from '../shared/http/web-pages.ts'
import type { LibraryId } from '../shared/library.ts'
import type { McpClient } from '../shared/mcp/mcp-handler.ts'
import { mcpRoutes } from '../shared/mcp/mcp-routes.ts'
import { getContext } from '../shared/search/get-context.ts'
import type { PageReader } from '../shared/search/pages/page-reader.ts'
import { asDamage } from '../shared/store/database.ts'
import { commandName } from '../shared/system/command-name.ts'
import { asMachineError, UnusablePath } from '../shared/system/machine-error.ts'
import type { Entry } from '../shared/usage/surface-of.ts'
import { allowedHosts, onlyKnownHosts } from './access/allowed-hosts.ts'
import { allowedOrigins, onlyLocalOrigins } from './access/allowed-origins.ts'
import { amongVisible, visibleTo } from './access/among-visible.ts'
import { auditAccess, noteHidden, noteRead } from './access/audit-access.ts'
import { type CallerEnv, requireCaller, requireRight } from './access/caller.ts'
import { identify } from './access/identify.ts'
import { onlyNamedLibraries } from './access/only-named-libraries.ts'
import { requestUsage } from './access/request-usage.ts'
import { openFirstSignIn } from './accounts/ensure-initial-credentials.ts'
import type { App } from './app/open-app.ts'
import { measureQuestion } from './monitoring/measure-questions.ts'
import { measureRequests } from './monitoring/measure-requests.ts'
import { admit } from './queries/admit.ts'
import { answerContext } from './queries/answer-context.ts'
import { answerMetrics } from './queries/answer-metrics.ts'
import { answerPages } from './queries/answer-pages.ts'
import { answerSearch } from './queries/answer-search.ts'
import { explainUnread } from './queries/explain-unread.ts'
import { forRequest } from './queries/for-request.ts'
import { knownIdHere } from './queries/known-id-here.ts'
import { noteAgent, noteQuestion } from './queries/note-first-steps.ts'
import { scoreText } from './queries/score-text.ts'
import { aboutRoutes } from './routes/about.ts'
import { accountRoutes } from './routes/account.ts'
import { accountSessionRoutes } from './routes/account-sessions.ts'
import { installAddRoutes } from './routes/add-library.ts'
import { apiHeaders, apiPath, toApiReference } from './routes/api-headers.ts'
import { auditRoutes } from './routes/audit.ts'
import { backupRoutes } from './routes/backups.ts'
import { checkedHeader } from './routes/checked-header.ts'
import { connectRoutes } from './routes/connect.ts'
import { deviceLoginRoutes } from './routes/device-logins.ts'
import { eventRoutes } from './routes/events.ts'
import { exportRoutes } from './routes/export-libraries.ts'
import { feedbackRoutes } from './routes/feedback.ts'
import { gitopsRoutes } from './routes/gitops.ts'
import { groupRoutes } from './routes/groups.ts'
import { healthRoutes } from './routes/health.ts'
import { hookRoutes } from './routes/hooks.ts'
import { importRoutes } from './routes/import-libraries.ts'
import { ContextHeader, HostedHeader, installApi } from './routes/install-api.ts'
import { jobRoutes } from './routes/jobs.ts'
import { keyRoutes } from './routes/keys.ts'
import { libraryRoutes } from './routes/libraries.ts'
import { libraryRuleRoutes } from './routes/library-rules.ts'
import { licenseRoutes } from './routes/license.ts'
import { modelRoutes } from './routes/models.ts'
import { monitoringRoutes } from './routes/monitoring.ts'
import { notificationRoutes } from './routes/notifications.ts'
import { challengeMcp, oauthRoutes } from './routes/oauth.ts'
import { oauthGrantRoutes } from './routes/oauth-grants.ts'
import { pageRoutes } from './routes/pages.ts'
import { parseRoutes } from './routes/parse.ts'
import { installPolicyRoutes } from './routes/policies.ts'
import { recognizeRoutes } from './routes/recognize.ts'
import { reindexRoutes } from './routes/reindex.ts'
import { scimRoutes } from './routes/scim.ts'
import { searchEverythingRoutes } from './routes/search-everything.ts'
import { secondFactorRoutes } from './routes/second-factor.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoutes } from './routes/settings.ts'
import { setupRoutes } from './routes/setup.ts'
import { singleSignOnRoutes } from './routes/single-sign-on.ts'
import { sourceRoutes } from './routes/source.ts'
import { supportBundleRoutes } from './routes/support-bundle.ts'
import { tagRoutes } from './routes/tags.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { usageRoutes } from './routes/usage.ts'
import { userRoutes } from './routes/users.ts'
import { versionRoutes } from './routes/versions.ts'

/** The built web UI, also in the package. */
const webFiles = fileURLToPath(new URL('./web/dist/', import.meta.url))

/** The type of the API, for Hono's typed client: `hc<AppType>(url).api.jobs.$get()`. */
export type AppType = ReturnType<typeof createServer>

/** Every route of an install. `ready` returns whether searches can be answered. */
export function createServer(app: App, ready: () => Promise<boolean>) {
  const server = new Hono<CallerEnv>({ getPath: pathBelow(app.publicUrl?.path ?? '') })
  handleErrors(server, app, (thrown, c) => {
    app.damage.note(thrown)
    const error = asMachineError(asDamage(thrown), app.dataDir)
    const isHidden = error instanceof UnusablePath && c.get('caller')?.holder === undefined
    return isHidden ? error.withoutPath : error
  })
  server.use(
    dropConnectionHeaders(),
    endHeadBodies(),
    logRequests(app),
    apiHeaders(),
    measureRequests(app.monitor.instruments),
    allowedHosts(app),
    onlyLocalOrigins(app),
    noteUnnamedProxies(app),
  )
  const signInValues = () => ({ NEW: app.damage.readOr(() => openFirstSignIn(app), ''), COMMAND: commandName() })
  server.use(webPages({ webFiles, apiPath, base: app.publicUrl?.path ?? '', signInValues }))
  server.use('/api', toApiReference(app.publicUrl?.path ?? ''))
  server.use('/api/v2/libs/metrics', metricsFailures)
  server.use(identify(app))
  server.use(auditAccess(app))
  server.use('/mcp', onlyNamedLibraries())
  server.use(knownIds((id, c) => knownIdHere(app, c.get('caller'), id)))
  server.use('/mcp', challengeMcp(app), allowedOrigins(app))
  server.use(onlyKnownHosts(app))
  return server
    .route('/', mcpRoutes(app, answers(app, 'mcp'), requireRight(app, 'mcp')))
    .route('/', oauthRoutes(app))
    .route('/', scimRoutes(app))
    .route('/', monitoringRoutes(app))
    .route('/api', contentRoutes(app))
    .route('/api', jobAndLibraryRoutes(app))
    .route('/api', accountAndSettingsRoutes(app))
    .route('/api', healthRoutes(app, ready))
    .route(
      '/api',
      openapiRoutes(apiOf(app), () => server.routes, ['Health']),
    )
}

const apiOf = ({ publicUrl }: Pick<App, 'publicUrl'>) => ({ ...installApi, ...(publicUrl && { url: `${publicUrl.url}/api` }) })

/** Searches, context and usage. */
const contentRoutes = (app: App) => {
  const read = requireRight(app, 'read')
  const http = answers(app, 'http')
  return new Hono<CallerEnv>()
    .route('/', searchRoutes(http, read, { headers: HostedHeader, errors: [429] }))
    .use('/v2/context', checkedHeader(app))
    .route('/', contextRoutes(http, read, { headers: ContextHeader, errors: [429, 504], explains: true }))
    .route('/', pagesRoutes(http, read, { errors: [429] }))
    .route('/', searchEverythingRoutes(app))
    .route(
      '/',
      metricsRoutes(
        { metrics: (query, c: Context) => answerMetrics(visibleTo(app, c.get('caller')), query) },
        requireRight(app, 'member'),
      ),
    )
    .route('/', usageRoutes(app))
    .route('/', feedbackRoutes(app))
}

const jobAndLibraryRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .route('/', installAddRoutes(app))
    .route('/', parseRoutes(app))
    .route('/', uploadRoutes(app))
    .route('/', recognizeRoutes(app))
    .route('/', pageRoutes(app))
    .route('/', sourceRoutes(app))
    .route('/', tagRoutes(app))
    .route('/', versionRoutes(app))
    .route('/', libraryRoutes(app))
    .route('/', importRoutes(app))
    .route('/', exportRoutes(app))
    .route('/', jobRoutes(app))
    .route('/', eventRoutes(app))
    .route('/', reindexRoutes(app))
    .route('/', hookRoutes(app))

const accountAndSettingsRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .route('/', setupRoutes(app))
    .route('/', settingsRoutes(app))
    .route('/', gitopsRoutes(app))
    .route('/', modelRoutes(app))
    .route('/', installPolicyRoutes(app, { headers: HostedHeader }))
    .route('/', sessionRoutes(app))
    .route('/', singleSignOnRoutes(app))
    .route('/', oauthGrantRoutes(app))
    .route('/', deviceLoginRoutes(app))
    .route('/', accountRoutes(app))
    .route('/', accountSessionRoutes(app))
    .route('/', secondFactorRoutes(app))
    .route('/', connectRoutes(app))
    .route('/', userRoutes(app))
    .route('/', groupRoutes(app))
    .route('/', libraryRuleRoutes(app))
    .route('/', keyRoutes(app))
    .route('/', auditRoutes(app))
    .route('/', licenseRoutes(app))
    .route('/', backupRoutes(app))
    .route('/', notificationRoutes(app))
    .route('/', supportBundleRoutes(app))
    .route('/', aboutRoutes(app))

type SearchInput = Parameters<typeof answerSearch>[1]
type ContextInput = Parameters<typeof answerContext>[1]

/** Answers questions of all kinds. Each waits until the limits of its caller allow it. */
const answers = (app: App, entry: Entry) => {
  const admitted = <T>(c: Context, signal: AbortSignal, answer: (ports: App) => T | Promise<T>) =>
    admit(forRequest(app, c), c, signal, (ports) => amongVisible(ports, c.get('caller'), answer)).catch((error: unknown) => {
      throw signal.aborted ? error : explainUnread(app, c.get('caller'), error)
    })
  const measured = <T>(kind: 'search' | 'context', c: Context, signal: AbortSignal, answer: (ports: App) => T | Promise<T>) =>
    measureQuestion(app.monitor.instruments, { kind, entry }, signal, () => admitted(c, signal, answer))
  /** Counts each answer with content of a library, and records it in the audit log. */
  const usage = (c: Context): Pick<App['usage'], 'record'> => ({
    record(request) {
      noteRead(app, c.get('caller'), request.library)
      return app.usage.record(request)
    },
  })
  const noting = <T>(c: Context, library: LibraryId, answer: Promise<T>) =>
    answer.catch((error: unknown) => {
      noteHidden(app, c.get('caller'), library, error)
      throw error
    })
  return {
    onAnswered: (client: string | undefined, c: Context) => noteAgent(app, c, client),
    search: (query: SearchInput, c: Context, signal: AbortSignal) =>
      measured('search', c, signal, (ports) => answerSearch(ports, query, requestUsage(app, c, entry), signal)),
    questions: (c: Context, signal: AbortSignal, client?: McpClient) => ({
      ask(query: ContextInput) {
        if (query.explain === 'true' || query.vectors === 'false') requireCaller(app, 'member', c.get('caller'))
        const asked = measured('context', c, signal, async (ports) => {
          const facts = requestUsage(app, c, entry, client?.name)
          const answer = await answerContext({ ...ports, usage: usage(c) }, query, facts, signal)
          noteQuestion(app)
          return answer
        })
        return noting(c, query.libraryId, asked)
      },
      probe: (query: ContextInput) => admitted(c, signal, (ports) => getContext(ports, { ...query, fast: 'true' }, signal)),
      scoreText: scoreText(app.textIndex),
      readable: async () => (await amongVisible(app, c.get('caller'), ({ catalog }) => catalog.listed())).libraries,
    }),
    pages(c: Context, signal: AbortSignal, client?: McpClient): PageReader {
      const facts = requestUsage(app, c, entry, client?.name)
      const read = <T>(library: LibraryId, work: (reader: PageReader) => Promise<T>) =>
        noting(
          c,
          library,
          measured('context', c, signal, (ports) => work(answerPages({ ...ports, usage: usage(c) }, facts))),
        )
      return {
        outline: (asked) => read(asked.libraryId, ({ outline }) => outline(asked)),
        page: (asked) => read(asked.libraryId, ({ page }) => page(asked)),
      }
    },
  }
}
