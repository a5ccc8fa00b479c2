import { Hono } from 'hono'
import { z } from 'zod'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'
import { enqueueReindex, outdatedLibraries } from '../jobs/enqueue-reindex.ts'

const NeededAnswer = z
  .object({
    needed: z
      .int()
      .describe(
        'Libraries whose vectors are from another model, whose content is in an old format, or whose word statistics are damaged',
      ),
    model: z.string().nullable().describe('The configured model with its provider and address; null if none is set'),
    dimensions: z
      .int()
      .nullable()
      .describe('Dimensions of its vectors; null if they are not set and the model has not responded yet'),
  })
  .meta({ id: 'ReindexNeeded' })

const QueuedAnswer = z
  .object({
    message: z.string(),
    queued: z.array(z.string()).describe('Ids of the libraries that are indexed again, one job each'),
    skipped: z.array(z.object({ project: z.string(), reason: z.string() })),
  })
  .meta({ id: 'ReindexQueued' })

export const reindexRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/reindex', requireRight(app, 'admin'), (c) => {
      const embedder = app.ai.embedder()
      const needed = outdatedLibraries(app).length
      return c.json({ needed, model: embedder?.model ?? null, dimensions: embedder?.dimensions ?? null })
    })
    .post('/reindex', requireRight(app, 'admin'), (c) => {
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
      summary: 'Count libraries to index again',
      description:
        'After a change of provider, model or dimensions, libraries are served with their old vectors until they are indexed again.',
      security: keyNeeded,
      responses: { 200: json(NeededAnswer, 'Number of libraries to index again'), ...errors(401, 403) },
    },
    post: {
      operationId: 'reindex',
      tags: ['Jobs'],
      summary: 'Index libraries again that have another model, an old format or damaged statistics',
      description:
        'Queues one job per library, including imported ones. Each job analyses content in an old format or with damaged word statistics and embeds the snippets if a provider is set. Nothing is fetched; the old content is served until the new is complete.',
      security: keyNeeded,
      responses: { 202: json(QueuedAnswer, 'Re-index queued'), ...errors(401, 403) },
    },
  },
}
