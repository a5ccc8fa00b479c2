import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { knownIds } from '../../shared/api/known-ids.ts'
import { openapiRoutes } from '../../shared/api/openapi.ts'
import { dropConnectionHeaders } from '../../shared/http/drop-connection-headers.ts'
import { handleErrors } from '../../shared/http/handle-errors.ts'
import { logRequests, requestLog } from '../../shared/http/log-requests.ts'
import { loopbackOnly } from '../../shared/http/loopback-only.ts'
import { pathBelow } from '../../shared/http/path-below.ts'
import { failurePages, webPages } from '../../shared/http/web-pages.ts'
import { awsRequestIds } from '../access/aws-request-ids.ts'
import { knownIdFor } from '../access/known-id-for.ts'
import { requireRouter } from '../access/require-router.ts'
import type { Hosted } from '../hosted.ts'
import { notingPorts } from '../recovery/noting-ports.ts'
import { compressAnswers } from '../routes/compress-answers.ts'
import { asUnavailable } from '../routes/unavailable-service.ts'
import { ownOrigin } from './access/own-origin.ts'
import { identifySession, type SessionEnv } from './access/session.ts'
import { teamCaller } from './access/team-caller.ts'
import { authRoutes } from './auth/auth-routes.ts'
import type { Issuer } from './auth/oidc-issuer.ts'
import { accountRoutes } from './routes/account.ts'
import { auditRoutes } from './routes/audit.ts'
import { claimRoutes } from './routes/claims.ts'
import { confluenceSiteRoutes } from './routes/confluence-site.ts'
import { dashboardApi } from './routes/dashboard-api.ts'
import { exportRoutes } from './routes/exports.ts'
import { gitTokenRoutes } from './routes/git-tokens.ts'
import { inviteRoutes } from './routes/invites.ts'
import { libraryRoutes } from './routes/libraries.ts'
import { libraryContentRoutes } from './routes/library-content.ts'
import { limitsRoutes } from './routes/limits.ts'
import { memberRoutes } from './routes/members.ts'
import { optOutRoutes } from './routes/opt-outs.ts'
import { policyRoutes } from './routes/policies.ts'
import { rulesRoutes } from './routes/rules.ts'
import { sessionRoutes } from './routes/session.ts'
import { sourceRoutes } from './routes/sources.ts'
import { teamKeyRoutes } from './routes/team-keys.ts'
import { teamspaceRoutes } from './routes/teamspaces.ts'
import { usageRoutes } from './routes/usage.ts'

/**
 * `url` is the address of the dashboard, which browsers show, and `serviceUrl` that of the API and of public pages; `issuer` signs its
 * users in. `webFiles` is the folder of the built pages.
 */
export type DashboardSite = { url: string; serviceUrl: string; issuer: Issuer; webFiles: string }

/** The type of the API, for Hono's typed client: `hc<DashboardApp>(url).api.session.$get()`. */
export type DashboardApp = ReturnType<typeof dashboardApp>

const apiPath = /^\/(api|auth)(\/|$)/

/** The dashboard, on a host of its own: pages of other hosts can neither read its responses nor use its cookies. */
export function dashboardApp(hosted: Hosted, site: DashboardSite) {
  const ports = { ...notingPorts(hosted), ...site }
  const app = base(hosted, site)
  app.use(
    '/api/*',
    identifySession(ports, site.url),
    knownIds((id, c) => knownIdFor(ports, id, c.get('teamspace') ? teamCaller(c) : { kind: 'anonymous' })),
  )
  return app
    .route('/', authRoutes(ports))
    .route('/api', sessionRoutes(ports))
    .route('/api', accountRoutes(ports))
    .route('/api', teamspaceRoutes(ports))
    .route('/api', libraryRoutes(ports))
    .route('/api', sourceRoutes(ports))
    .route('/api', libraryContentRoutes(ports))
    .route('/api', claimRoutes(ports))
    .route('/api', usageRoutes(ports))
    .route('/api', gitTokenRoutes(ports))
    .route('/api', confluenceSiteRoutes(ports))
    .route('/api', memberRoutes(ports))
    .route('/api', inviteRoutes(ports))
    .route('/api', teamKeyRoutes(ports))
    .route('/api', policyRoutes(ports))
    .route('/api', rulesRoutes(ports))
    .route('/api', optOutRoutes(ports))
    .route('/api', limitsRoutes(ports))
    .route('/api', auditRoutes(ports))
    .route('/api', exportRoutes(ports))
    .route(
      '/api',
      openapiRoutes(dashboardApi, () => app.routes, []),
    )
}

function base({ log, loopback, originSecrets, onForeign }: Hosted, { url, webFiles }: DashboardSite): Hono<SessionEnv> {
  const app = new Hono<SessionEnv>({ getPath: pathBelow('') })
  app.use(
    // The first, so that a flood of requests around the Router costs no work and writes no log.
    requireRouter(originSecrets, onForeign),
    dropConnectionHeaders(),
    logRequests({ log, outerIds: originSecrets && awsRequestIds }),
    answerHeaders(url),
    compressAnswers(),
    loopbackOnly(loopback),
    ownOrigin(url),
    webPages({ webFiles, apiPath }),
  )
  app.use('/auth/*', failurePages(webFiles))
  handleErrors(app, { log }, (error, c) => {
    const known = asUnavailable(error)
    if (known !== error) requestLog(c, log).error({ error }, 'a store does not respond')
    return known
  })
  return app
}

const yearSeconds = 31_536_000

/** Responses depend on the session, errors too, so no cache may keep them. Files of the pages have a Cache-Control of their own. */
const answerHeaders = (url: string) =>
  createMiddleware(async (c, next) => {
    await next()
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'private, no-store')
    c.header('x-content-type-options', 'nosniff')
    if (url.startsWith('https:')) c.header('strict-transport-security', `max-age=${yearSeconds}`)
  })
