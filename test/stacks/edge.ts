import { dashboardApp } from '../../functions/dashboard/app.ts'
import { oidcIssuer } from '../../functions/dashboard/auth/oidc-issuer.ts'
import type { Hosted } from '../../functions/hosted.ts'
import { webFiles } from '../../functions/local/start-dashboard.ts'
import { createApi, createExport } from '../../functions/server.ts'
import { listen } from '../../shared/http/listen.ts'
import { type CloudFront, type CloudFrontConfig, startCloudFront } from '../fixtures/cloudfront.ts'
import type { Stage } from './evaluate-stage.ts'
import { routerFunction } from './run-router.ts'
import { one } from './stage.ts'

/** A policy that AWS keeps. */
export const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'

/** A Router in front of servers of this process. `origins` has their own addresses, by their host names on AWS. */
export type Edge = CloudFront & { origins: Record<string, string> }

type App = { fetch: Parameters<typeof listen>[0] }

/** The functions of a stage accept only requests with the secret of its Router. */
const behindRouter = (hosted: Hosted): Hosted => ({
  ...hosted,
  loopback: false,
  originSecrets: ['origin-secret-of-at-least-32-letters'],
})

/** The Router of a stage in front of the API and the export. */
export const startRouter = (stage: Stage, hosted: Hosted): Promise<Edge> =>
  startEdge(stage, 'Router', {
    'gateway.execute-api.us-east-1.amazonaws.com': createApi(behindRouter(hosted)),
    'exporturl.lambda-url.us-east-1.on.aws': createExport(behindRouter(hosted)),
  })

/** The Router of the dashboard, which browsers show as `url`, in front of it. */
export const startDashboardRouter = (
  stage: Stage,
  hosted: Hosted,
  url: string,
  issuer: Parameters<typeof oidcIssuer>[0],
): Promise<Edge> =>
  startEdge(stage, 'DashboardRouter', {
    'dashboardurl.lambda-url.us-east-1.on.aws': dashboardApp(behindRouter(hosted), {
      url,
      serviceUrl: 'https://docs.example.com',
      webFiles,
      issuer: oidcIssuer(issuer),
    }),
  })

async function startEdge(stage: Stage, router: string, apps: Record<string, App>): Promise<Edge> {
  const servers = await Promise.all(
    Object.entries(apps).map(async ([host, { fetch }]) => ({ host, ...(await listen(fetch, { HOST: '127.0.0.1', PORT: 0 })) })),
  )
  const origins = Object.fromEntries(servers.map(({ host, port }) => [host, `http://127.0.0.1:${port}`]))
  const edge = await startCloudFront(configOf(stage, router), routerFunction(stage, router), origins)
  const { close } = edge
  return Object.assign(edge, {
    origins,
    async close() {
      await Promise.all([close(), ...servers.map((server) => server.close())])
    },
  })
}

function configOf(stage: Stage, router: string): CloudFrontConfig {
  const { defaultCacheBehavior, customErrorResponses, origins } = one(stage, 'cloudfront/distribution', router).inputs
  return {
    defaultOrigin: origins[0].domainName,
    cachedMethods: defaultCacheBehavior.cachedMethods,
    errorTtls: customErrorResponses ?? [],
    ...(defaultCacheBehavior.cachePolicyId === cachingDisabled
      ? { keyHeaders: [], minTtl: 0, defaultTtl: 0, maxTtl: 0 }
      : ownPolicy(stage, router)),
  }
}

function ownPolicy(stage: Stage, router: string) {
  const { minTtl, defaultTtl, maxTtl, parametersInCacheKeyAndForwardedToOrigin } = one(
    stage,
    'cloudfront/cachePolicy',
    router,
  ).inputs
  return { keyHeaders: parametersInCacheKeyAndForwardedToOrigin.headersConfig.headers.items, minTtl, defaultTtl, maxTtl }
}
