import { fileURLToPath } from 'node:url'
import { AppError } from '../../shared/errors.ts'
import { listen } from '../../shared/http/listen.ts'
import { dashboardApp } from '../dashboard/app.ts'
import { oidcIssuer } from '../dashboard/auth/oidc-issuer.ts'
import { startDevIssuer } from './dev-issuer.ts'
import type { LocalConfig } from './local-config.ts'

type Settings = Pick<
  LocalConfig,
  'PORT' | 'DASHBOARD_PORT' | 'ISSUER_PORT' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET'
> & {
  /** The address of the API. */
  serviceUrl: string
}

/** Its cookies are for plain http, so it never leaves this machine. */
const host = '127.0.0.1'
/** The built pages of a checkout. */
export const webFiles = fileURLToPath(new URL('../web/dist/', import.meta.url))
const unavailable = () => new Response(null, { status: 503 })

/** Serves the dashboard and, unless an issuer is set, the sign-in for development, both only on this machine. */
export async function startDashboard(
  hosted: Parameters<typeof dashboardApp>[0],
  config: Settings,
): Promise<{ url: string; close(): Promise<void> }> {
  const { DASHBOARD_PORT = after(config.PORT) } = config
  let app: ReturnType<typeof dashboardApp> | undefined
  // Its issuer has to know the port first.
  const server = await listen((...request) => app?.fetch(...request) ?? unavailable(), {
    HOST: host,
    PORT: DASHBOARD_PORT,
  }).catch((error: Error) => {
    throw new AppError('cannot_start', error.message.replace('Set PORT', 'Set DASHBOARD_PORT'), { cause: error })
  })
  const url = `http://${host}:${server.port}`
  const issuer = await openIssuer(config, DASHBOARD_PORT, url).catch(async (error: unknown) => {
    await server.close()
    throw error
  })
  app = dashboardApp(hosted, { url, serviceUrl: config.serviceUrl, issuer: oidcIssuer(issuer), webFiles })
  return {
    url,
    async close() {
      await Promise.all([server.close(), issuer.close()])
    },
  }
}

async function openIssuer(config: Settings, dashboardPort: number, url: string) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config
  if (issuer !== undefined) return { issuer, clientId, clientSecret, close: async () => undefined }
  const { ISSUER_PORT: port = after(dashboardPort) } = config
  return startDevIssuer({ port, redirectUri: `${url}/auth/callback` })
}

/** The next port; any free one after any free one. */
const after = (port: number): number => (port === 0 || port === 65_535 ? 0 : port + 1)
