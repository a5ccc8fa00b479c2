import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { LRUCache } from 'lru-cache'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { AppError } from '../../shared/errors.ts'
import { bind } from '../../shared/http/bind.ts'
import type { IssuerSettings } from '../dashboard/auth/oidc-issuer.ts'

const devUsers = ['owner', 'admin', 'developer', 'stranger'] as const

export type DevIssuer = IssuerSettings & { close(): Promise<void> }

const host = '127.0.0.1'
const clientId = 'carrel'

/**
 * An issuer of OpenID Connect for this machine: whoever reaches it signs in as one of four people, without a password. So it listens only on
 * 127.0.0.1, whatever HOST is. Its sign-ins end with its process.
 */
export async function startDevIssuer({ port, redirectUri }: { port: number; redirectUri: string }): Promise<DevIssuer> {
  const server = createServer()
  const bound = await bind(server, { host, port }).catch((error: unknown) => {
    throw new AppError(
      'cannot_start',
      `Port ${port} of ${host}, for the sign-in, cannot be used. Set ISSUER_PORT to a free port.`,
      {
        cause: error,
      },
    )
  })
  const issuer = `http://${host}:${bound.port}`
  const clientSecret = randomBytes(32).toString('base64url')
  const provider = new Provider(issuer, await configurationOf({ clientSecret, redirectUri }))
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const user = ctx.method === 'POST' ? devUsers.find((name) => ctx.path.endsWith(`/${name}`)) : undefined
    if (user) {
      const result = { login: { accountId: user } }
      return provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: false })
    }
    ctx.type = 'html'
    ctx.body = page(ctx.path.replace(/[^\w/-]/g, ''))
  })
  server.on('request', provider.callback())
  return {
    issuer,
    clientId,
    clientSecret,
    async close() {
      const closed = bound.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function configurationOf(client: { clientSecret: string; redirectUri: string }): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: client.clientSecret,
        redirect_uris: [client.redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'development' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    adapter: memoryAdapter(),
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, email: `${accountId}@example.com`, email_verified: true, name: accountId }),
    }),
    // Everybody has consented.
    async loadExistingGrant(ctx) {
      const { client: known, session } = ctx.oidc
      const grant = new ctx.oidc.provider.Grant({ clientId: known?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
  }
}

/** A bounded memory for the issuer, whose own one warns against itself and grows. */
function memoryAdapter(): (kind: string) => Adapter {
  const payloads = new LRUCache<string, AdapterPayload>({ max: 10_000 })
  const idsByUid = new LRUCache<string, string>({ max: 10_000 })
  return (kind) => {
    const key = (id: string) => `${kind} ${id}`
    return {
      async upsert(id, payload, expiresIn) {
        const ttl = expiresIn ? expiresIn * 1000 : undefined
        payloads.set(key(id), payload, ttl === undefined ? {} : { ttl })
        if (payload.uid !== undefined) idsByUid.set(payload.uid, id)
      },
      find: async (id) => payloads.get(key(id)),
      findByUid: async (uid) => payloads.get(key(idsByUid.get(uid) ?? '')),
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = payloads.get(key(id))
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        payloads.delete(key(id))
      },
      async revokeByGrantId(grantId) {
        // A sign-in in progress also has a grant, and must be able to finish.
        for (const [id, payload] of payloads.entries())
          if (id.startsWith(`${kind} `) && payload.grantId === grantId) payloads.delete(id)
      },
    }
  }
}

const page = (path: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>Sign in</h1><p>These people exist only on this machine.</p>
${devUsers.map((name) => `<form method="post" action="${path}/${name}"><button>${name}</button></form>`).join('\n')}
</main></body></html>`
