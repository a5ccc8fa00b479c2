import { Hono } from 'hono'
import { z } from 'zod'
import { tryModels } from '../../shared/ai/try-models.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/api/json-body.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { Settings, secretNames, settingNames } from '../../shared/settings/settings.ts'
import { type AccessEnv, actorOf, allow } from '../access.ts'
import type { App } from '../app.ts'

const bodyBytes = 4 * 1024 * 1024

/** Names and values are read by the store, which knows what each setting takes. */
const Changes = z.record(z.string(), z.unknown()).meta({
  description: 'Settings by their names, of which null clears one',
  example: { 'embedding.provider': 'openai', 'embedding.apiKey': 'sk-…' },
})

const Tried = z.object({
  ok: z.boolean(),
  model: z.string().nullable(),
  ms: z.int(),
  error: z.string().optional().describe('What the provider says is wrong, in one sentence'),
})
const TriedAnswer = z.object({
  llm: Tried.optional().describe('Absent where no provider is set'),
  embedding: Tried.extend({ dimensions: z.int().nullable() }).optional().describe('Absent where no provider is set'),
})

export const settingsRoutes = (app: App) =>
  new Hono<AccessEnv>()
    .get('/settings', allow(app, 'admin'), (c) => c.json(app.settings.describe()))
    .patch('/settings', allow(app, 'admin'), jsonBody(bodyBytes), input('json', Changes), (c) => {
      const changes = c.req.valid('json')
      const { dropped } = app.settings.change(changes)
      const actor = actorOf(c.get('caller'))
      for (const subject of Object.keys(changes)) app.audit.record({ actor, action: 'setting.change', subject })
      for (const subject of dropped) app.audit.record({ actor, action: 'setting.drop', subject })
      if (dropped.length > 0) c.header('x-carrel-dropped', dropped.join(', '))
      return c.json(app.settings.describe())
    })
    .post('/settings/test', allow(app, 'admin'), jsonBody(bodyBytes), input('json', Changes), async (c) => {
      const tried = app.settings.trying(c.req.valid('json'))
      return c.json(await tryModels(tried, app.aiRim, c.req.raw.signal))
    })

const typeOf = (name: (typeof settingNames)[number]): z.ZodType => {
  const absent = Settings.shape[name].parse(undefined)
  if (typeof absent === 'boolean') return z.boolean()
  if (Array.isArray(absent)) return z.array(z.string())
  return name === 'embedding.dimensions' ? z.int() : z.string()
}
const ShownSecret = z.object({ set: z.literal(true), last4: z.string().describe('Empty for a short secret') })
const SettingsAnswer = z
  .object(
    Object.fromEntries([
      ...settingNames.map((name) => [name, typeOf(name).nullable()]),
      ...secretNames.map((name) => [name, ShownSecret.nullable()]),
    ]),
  )
  .meta({ id: 'Settings', description: 'Every setting by its name, null where it is unset' })

const changesBody = { content: { 'application/json': { schema: Changes } } }

export const settingsOperations: Operations = {
  '/settings': {
    get: {
      operationId: 'getSettings',
      tags: ['Settings'],
      summary: 'All settings',
      description: 'One flat object that lists every name. Of a secret only its last four characters are shown.',
      security: keyNeeded,
      responses: { 200: json(SettingsAnswer, 'The settings'), ...errors(401, 403) },
    },
    patch: {
      operationId: 'changeSettings',
      tags: ['Settings'],
      summary: 'Change settings',
      description:
        'Stores all of the changes or, where one is refused, none; null clears. They count from the next request on. A secret belongs to the address it was saved with: where a provider, base URL, region or endpoint changes, its secret is dropped, and X-Carrel-Dropped names it.',
      security: keyNeeded,
      requestBody: changesBody,
      responses: {
        200: {
          ...json(SettingsAnswer, 'The settings as they are now'),
          headers: z.object({ 'X-Carrel-Dropped': z.string().optional().describe('Secrets that were dropped, by commas') }),
        },
        ...errors(400, 401, 403, 413),
      },
    },
  },
  '/settings/test': {
    post: {
      operationId: 'testSettings',
      tags: ['Settings'],
      summary: 'Try the language model and the embeddings',
      description:
        'Asks each of them for something small with the settings given, laid over the stored ones; nothing is stored. A stored secret is used only with the address it was saved with.',
      security: keyNeeded,
      requestBody: changesBody,
      responses: { 200: json(TriedAnswer, 'What came of it'), ...errors(400, 401, 403, 413) },
    },
  },
}
