import { Hono } from 'hono'
import { z } from 'zod'
import { json, type Operations } from '../../shared/api/operations.ts'
import { isExpired } from '../../shared/keys/license.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { DamagedContent } from '../../shared/search/snippet-store.ts'
import { embeddingAddress, llmAddress } from '../../shared/settings/ai-address.ts'
import { type Caller, type CallerEnv, mayRead } from '../access/caller.ts'
import { hasInitialPassword, initialPasswordWarning } from '../accounts/ensure-initial-credentials.ts'
import { unnamedProxyWarning } from '../accounts/unnamed-proxies.ts'
import type { App } from '../app.ts'
import { laterWarning } from '../store/later-generations.ts'

const Configured = z.enum(['configured', 'not configured'])
const HealthAnswer = z
  .object({
    status: z.literal('healthy'),
    version: z.string(),
    setup: z.literal('complete'),
    license: z.literal('configured'),
    licenseInfo: z.object({
      valid: z.boolean(),
      kind: z.enum(['offline', 'online']),
      teamSize: z.int().describe('Users of this install; a license names no number of seats'),
      expiresAt: z.string(),
    }),
    repos_parsed: z.int(),
    uptime: z.number().describe('Seconds'),
    connectivity: z.object({
      llm: Configured,
      llm_provider: z.string().nullable(),
      embedding: Configured,
      embedding_provider: z.string().nullable(),
      github: Configured,
      gitlab: Configured,
    }),
    warnings: z.array(z.string()).describe('What a person should look at'),
  })
  .meta({ id: 'Health' })
const ReadyAnswer = z.object({ ready: z.boolean(), message: z.string().optional().describe('What is damaged, and what to do') })

export const healthRoutes = (app: App, ready: () => Promise<boolean>) =>
  new Hono<CallerEnv>()
    .get('/health', async (c) => c.json(health(app, c.get('caller'))))
    .get('/ready', async (c) => {
      if (await ready().catch(() => false)) return c.json({ ready: true })
      const [message] = serverDamage(app, c.get('caller'))
      return c.json({ ready: false, message }, 503)
    })
    .get('/auth/mcp', (c) => c.json({ enabled: app.settings.get('permissions.requireMcpAuth') }))

export const healthOperations: Operations = {
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: ['Health'],
      summary: 'Check that the server is running',
      description:
        'For liveness probes: returns the version, the license, the number of libraries and the configured services. What a damaged database does not tell is 0 or "not configured", and a warning says so.',
      security: [],
      responses: { 200: json(HealthAnswer, 'The server is running') },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReady',
      tags: ['Health'],
      summary: 'Check that requests can be served',
      description: 'For load balancers: 200 while the stores can be read, else 503; the message says what is damaged.',
      security: [],
      responses: { 200: json(ReadyAnswer, 'Ready'), 503: json(ReadyAnswer, 'Not ready') },
    },
  },
  '/auth/mcp': {
    get: {
      operationId: 'getMcpAuth',
      tags: ['Health'],
      summary: 'Check whether /mcp requires a key',
      description: 'Clients read this before they connect. It never redirects.',
      security: [],
      responses: { 200: json(z.object({ enabled: z.boolean() }), 'Whether a key is required') },
    },
  },
}

function serverDamage({ damage }: App, { holder, unidentified }: Caller): string[] {
  const found = damage.found()
  if (holder) return found
  const shown = unidentified
    ? 'Files of the server are damaged, and your key or session cannot be checked. The log of the server says which files.'
    : 'Files of the server are damaged. Send a key to see which.'
  return found.slice(0, 1).map(() => shown)
}

const replace = 'refresh it, or import it again with force'
const warnings: [DamagedContent['damage'], (id: string) => string][] = [
  ['quarantined', (id) => `The files of ${id} are damaged and are not read: ${replace}.`],
  ['unchecked', (id) => `The files of ${id} could not be checked for damage and are not read: restart the server, ${replace}.`],
  [
    'statistics',
    (id) => `The word statistics of ${id} are damaged. They are rebuilt from its snippets; if this warning stays, ${replace}.`,
  ],
  ['rows', (id) => `Snippets of ${id} could not be read: ${replace}.`],
]

/** Names and paths are only for callers that may read them; a private library is named only to callers with a key. */
function damageWarnings(app: App, caller: Caller): string[] {
  const { catalog, snippets, damage } = app
  const { holder } = caller
  const content = snippets.damaged()
  const serving = (kind: DamagedContent['damage']) =>
    catalog.servedBy(content.filter((each) => each.damage === kind).map(({ generation }) => generation))
  const libraries = damage.readOr(
    () => warnings.flatMap(([kind, warning]) => serving(kind).map((id) => ({ id, warning: warning(id) }))),
    [],
  )
  const isShown = ({ id }: { id: string }) =>
    mayRead(app, caller) && (holder || catalog.find(parseLibraryId(id))?.private === false)
  const shown = damage.readOr(() => libraries.filter(isShown), [])
  const hidden = new Set(libraries.filter((each) => !shown.includes(each)).map(({ id }) => id)).size
  return [
    ...shown.map(({ warning }) => warning),
    ...(hidden > 0
      ? [`The files of ${hidden} ${hidden === 1 ? 'library' : 'libraries'} are damaged. Send a key to see which.`]
      : []),
    ...serverDamage(app, caller),
  ]
}

function health(app: App, caller: Caller): z.infer<typeof HealthAnswer> {
  const { version, license, settings, users, catalog, unnamedProxies, now, startedAtMs } = app
  const { readOr } = app.damage
  const configured = (value: unknown) => (value ? 'configured' : 'not configured')
  const shown = readOr(() => settings.describe(), undefined)
  const later = readOr(() => app.laterGenerations.list(), [])
  const llm = readOr(() => llmAddress(settings.get).provider ?? null, null)
  const embedding = readOr(() => embeddingAddress(settings.get).provider ?? null, null)
  const teamSize = readOr(() => users.count(), 0)
  return {
    status: 'healthy',
    version,
    setup: 'complete',
    license: 'configured',
    licenseInfo: { valid: !isExpired(license, now()), kind: license.kind, teamSize, expiresAt: license.expiresAt },
    repos_parsed: readOr(() => catalog.projects().length, 0),
    uptime: (performance.now() - startedAtMs) / 1000,
    connectivity: {
      llm: configured(llm),
      llm_provider: llm,
      embedding: configured(embedding),
      embedding_provider: embedding,
      github: configured(shown?.['github.token']),
      gitlab: configured(shown?.['gitlab.token']),
    },
    warnings: [
      ...(readOr(() => hasInitialPassword(app), false) ? [initialPasswordWarning] : []),
      ...(later.length > 0 ? [laterWarning(later)] : []),
      ...(caller.holder?.role === 'admin' ? unnamedProxies.list().map(unnamedProxyWarning) : []),
      ...damageWarnings(app, caller),
    ],
  }
}
