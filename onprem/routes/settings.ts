import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../shared/api/if-match.ts'
import { input } from '../../shared/api/input.ts'
import { etagOf } from '../../shared/http/etag.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { GitHostEntry } from '../../shared/schemas/git-host-list.ts'
import { SsoIssuer } from '../../shared/schemas/sso-issuer.ts'
import { Settings, secretNames, settingNames } from '../../shared/settings/settings.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type DeclaredPorts, rejectDeclaredSettings } from '../access/declared-in-git.ts'
import { type ChangeSettingsPorts, changeSettings } from '../actions/change-settings.ts'
import { TestedService, type TestSettingsPorts, testSettings } from '../actions/test-settings.ts'

const maxBodyBytes = 4 * 1024 * 1024

/** The store validates names and values. */
const Changes = z.record(z.string(), z.unknown()).meta({
  description: 'Settings by name; null clears a setting',
  example: { 'embedding.provider': 'openai', 'embedding.apiKey': 'sk-…' },
})

const Tried = z.object({
  ok: z.boolean(),
  model: z.string().nullable(),
  ms: z.int(),
  error: z.string().optional().describe('What is wrong, in one sentence'),
})
const TriedToken = z.object({
  ok: z.boolean(),
  login: z.string().nullable().describe('Owner of the token; null if the host does not tell'),
  error: z.string().optional().describe('What is wrong, in one sentence'),
})
const TriedChannel = Tried.omit({ model: true })
const TriedAnswer = z.object({
  llm: Tried.optional().describe('Absent if no provider is set'),
  rerank: Tried.optional().describe('A local model that reranks; absent if none is set'),
  embedding: Tried.extend({ dimensions: z.int().nullable() }).optional().describe('Absent if no provider is set'),
  github: TriedToken.optional().describe('Absent if no token is set'),
  gitlab: TriedToken.optional().describe('Absent if no token is set'),
  confluence: TriedToken.optional().describe('Absent if confluence.baseUrl is not set'),
  webhook: TriedChannel.optional().describe('Only if it was named'),
  slack: TriedChannel.optional().describe('Only if it was named'),
  email: TriedChannel.optional().describe('Only if it was named'),
  'git.hosts': z.record(z.string(), TriedToken).optional().describe('By the names in git.hosts; absent if there are none'),
})
const TestQuery = z.object({ only: TestedService.optional().describe('Test only this service') })

const typeOf = (name: (typeof settingNames)[number]): z.ZodType => {
  const unset = Settings.shape[name].parse(undefined)
  if (typeof unset === 'boolean') return z.boolean()
  if (name === 'git.hosts') return z.array(GitHostEntry)
  if (name === 'sso.issuers') return z.array(SsoIssuer)
  if (Array.isArray(unset)) return z.array(z.string())
  return typeof unset === 'number' || name === 'embedding.dimensions' || name === 'embedding.weight' ? z.int() : z.string()
}
const ShownSecret = z.object({
  set: z.literal(true),
  last4: z.string().describe('Last four characters; empty for a short secret'),
})
const SettingsAnswer = z
  .object(
    Object.fromEntries([
      ...settingNames.map((name) => [name, typeOf(name).nullable()]),
      ...secretNames.map((name) => [name, ShownSecret.nullable()]),
    ]),
  )
  .catchall(ShownSecret.nullable())
  .meta({
    id: 'Settings',
    description:
      'Every setting by name; null if it is unset and has no default. Each host in git.hosts has git.hosts.NAME.token, too, and each issuer in sso.issuers sso.issuers.NAME.clientSecret and sso.issuers.NAME.scimToken',
  })
const ChangeHeaders = EtagHeader.extend({
  'X-Carrel-Dropped': z.string().optional().describe('Names of the secrets that were dropped, separated by commas'),
})

type SettingsRoutesPorts = RightPorts & DeclaredPorts & ChangeSettingsPorts & TestSettingsPorts

export const settingsRoutes = (ports: SettingsRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/settings',
      describeRoute({
        operationId: 'getSettings',
        tags: ['Settings'],
        summary: 'Get all settings',
        description: 'Returns one flat object with every setting. Only the last four characters of a secret are shown.',
        responses: { 200: json(SettingsAnswer, 'Settings', EtagHeader) },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(...shownSettings(ports)),
    )
    .patch(
      '/settings',
      describeRoute({
        operationId: 'changeSettings',
        tags: ['Settings'],
        summary: 'Change settings',
        description:
          'Stores all changes, or none if one is rejected; null clears a setting. Changes apply from the next request on. A secret is bound to the address it was saved with: a change of provider, base URL, region or endpoint drops it, and X-Carrel-Dropped names it.',
        responses: { 200: json(SettingsAnswer, 'Settings after the change', ChangeHeaders) },
      }),
      requireRight(ports, 'admin'),
      ifMatch(),
      jsonBody(maxBodyBytes),
      input('json', Changes),
      (c) => {
        const changes = c.req.valid('json')
        rejectDeclaredSettings(ports, Object.keys(changes))
        const dropped = changeSettings(ports, c.get('caller'), changes, c.req.header('if-match'))
        if (dropped.length > 0) c.header('x-carrel-dropped', dropped.join(', '))
        return c.json(...shownSettings(ports))
      },
    )
    .post(
      '/settings/test',
      describeRoute({
        operationId: 'testSettings',
        tags: ['Settings'],
        summary: 'Test the model providers, the tokens of the git hosts and of Confluence, or a channel of notifications',
        description:
          'Sends a small request to each configured provider and to each git host that has a token, to Confluence if its address is set, or only to the named service. A channel of notifications gets a test message if it is named. The given settings override the stored ones; nothing is stored. A stored secret is used only with the address it was saved with.',
        responses: { 200: json(TriedAnswer, 'Test results') },
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('query', TestQuery),
      input('json', Changes),
      async (c) => c.json(await testSettings(ports, c.req.valid('json'), c.req.raw.signal, c.req.valid('query').only)),
    )

/** The body, the status and the headers of a response with all settings. */
function shownSettings({ settings }: Pick<ChangeSettingsPorts, 'settings'>) {
  const shown = settings.describe()
  return [shown, 200, { etag: etagOf({ '': shown }) }] as const
}
