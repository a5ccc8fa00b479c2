import { Hono } from 'hono'
import { z } from 'zod'
import { tryModels } from '../../shared/ai/try-models.ts'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { Settings, secretNames, settingNames } from '../../shared/settings/settings.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'

const bodyBytes = 4 * 1024 * 1024

/** Names and values are read by the store, which knows what each setting takes. */
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
const TriedAnswer = z.object({
  llm: Tried.optional().describe('Absent if no provider is set'),
  embedding: Tried.extend({ dimensions: z.int().nullable() }).optional().describe('Absent if no provider is set'),
})

export const settingsRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/settings', requireRight(app, 'admin'), (c) => c.json(app.settings.describe()))
    .patch('/settings', requireRight(app, 'admin'), jsonBody(bodyBytes), input('json', Changes), (c) => {
      const changes = c.req.valid('json')
      const { dropped } = app.settings.change(changes)
      const actor = actorOf(c.get('caller'))
      for (const subject of Object.keys(changes)) app.audit.record({ actor, action: 'setting.change', subject })
      for (const subject of dropped) app.audit.record({ actor, action: 'setting.drop', subject })
      if (dropped.length > 0) c.header('x-carrel-dropped', dropped.join(', '))
      return c.json(app.settings.describe())
    })
    .post('/settings/test', requireRight(app, 'admin'), jsonBody(bodyBytes), input('json', Changes), async (c) => {
      const tried = app.settings.withChanges(c.req.valid('json'))
      return c.json(await tryModels(tried, app.aiRim, c.req.raw.signal))
    })

const typeOf = (name: (typeof settingNames)[number]): z.ZodType => {
  const absent = Settings.shape[name].parse(undefined)
  if (typeof absent === 'boolean') return z.boolean()
  if (Array.isArray(absent)) return z.array(z.string())
  return name === 'embedding.dimensions' ? z.int() : z.string()
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
  .meta({ id: 'Settings', description: 'Every setting by name; null if it is unset and has no default' })

const changesBody = { content: { 'application/json': { schema: Changes } } }

export const settingsOperations: Operations = {
  '/settings': {
    get: {
      operationId: 'getSettings',
      tags: ['Settings'],
      summary: 'Get all settings',
      description: 'Returns one flat object with every setting. Only the last four characters of a secret are shown.',
      security: keyNeeded,
      responses: { 200: json(SettingsAnswer, 'Settings'), ...errors(401, 403) },
    },
    patch: {
      operationId: 'changeSettings',
      tags: ['Settings'],
      summary: 'Change settings',
      description:
        'Stores all changes, or none if one is rejected; null clears a setting. Changes apply from the next request on. A secret is bound to the address it was saved with: a change of provider, base URL, region or endpoint drops it, and X-Carrel-Dropped names it.',
      security: keyNeeded,
      requestBody: changesBody,
      responses: {
        200: {
          ...json(SettingsAnswer, 'Settings after the change'),
          headers: z.object({
            'X-Carrel-Dropped': z.string().optional().describe('Names of the secrets that were dropped, separated by commas'),
          }),
        },
        ...errors(400, 401, 403, 413),
      },
    },
  },
  '/settings/test': {
    post: {
      operationId: 'testSettings',
      tags: ['Settings'],
      summary: 'Test the language model and the embedding provider',
      description:
        'Sends a small request to each configured provider. The given settings override the stored ones; nothing is stored. A stored secret is used only with the address it was saved with.',
      security: keyNeeded,
      requestBody: changesBody,
      responses: { 200: json(TriedAnswer, 'Test results'), ...errors(400, 401, 403, 413) },
    },
  },
}
