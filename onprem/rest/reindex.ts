import { Hono } from 'hono'
import { z } from 'zod'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { type AccessEnv, actorOf, allow } from '../access.ts'
import type { App } from '../app.ts'
import { enqueueReindex, outdatedLibraries } from '../jobs/enqueue-reindex.ts'

const NeededAnswer = z
  .object({
    needed: z
      .int()
      .describe('Libraries whose content is in an old format, or whose vectors are not of the model that is set now'),
    model: z.string().nullable().describe('The model that is set now, with its provider and address; null where none is'),
    dimensions: z.int().nullable().describe('Of its vectors; null until its first answer where the settings do not say'),
  })
  .meta({ id: 'ReindexNeeded' })

const QueuedAnswer = z
  .object({
    message: z.string(),
    queued: z.array(z.string()).describe('Ids of the libraries that are indexed again, each by a job of its own'),
    skipped: z.array(z.object({ project: z.string(), reason: z.string() })),
  })
  .meta({ id: 'ReindexQueued' })

export const reindexRoutes = (app: App) =>
  new Hono<AccessEnv>()
    .get('/reindex', allow(app, 'admin'), (c) => {
      const embedder = app.ai.embedder()
      const needed = outdatedLibraries(app).length
      return c.json({ needed, model: embedder?.model ?? null, dimensions: embedder?.dimensions ?? null })
    })
    .post('/reindex', allow(app, 'admin'), (c) => {
      const answer = enqueueReindex(app)
      const actor = actorOf(c.get('caller'))
      for (const subject of answer.queued) app.audit.record({ actor, action: 'library.reindex', subject })
      return c.json(answer, 202)
    })

export const reindexOperations: Operations = {
  '/reindex': {
    get: {
      operationId: 'getReindex',
      tags: ['Jobs'],
      summary: 'How many libraries a change of the embedding model concerns',
      description:
        'After the provider, model or dimensions were changed, libraries go on to answer with what they have until they are indexed again.',
      security: keyNeeded,
      responses: { 200: json(NeededAnswer, 'What a re-index would do'), ...errors(401, 403) },
    },
    post: {
      operationId: 'reindex',
      tags: ['Jobs'],
      summary: 'Index again what was embedded with another model, or is in an old format',
      description:
        'Queues one job for each library concerned, imported ones too: its snippets are embedded anew if a provider is set, content in an old format is analysed again, nothing is fetched, and what is served answers until its copy is complete.',
      security: keyNeeded,
      responses: { 202: json(QueuedAnswer, 'What is queued, and what is not'), ...errors(401, 403) },
    },
  },
}
