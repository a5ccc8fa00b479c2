import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { actorOf, type CallerEnv, type RightPorts, requireRight, turnOf } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { embeddingCost, enqueueReindex, outdatedLibraries, type ReindexPorts } from '../actions/enqueue-reindex.ts'

const NeededAnswer = z
  .object({
    needed: z
      .int()
      .describe(
        'Libraries whose vectors are from another model or incomplete, whose content is in an old format, or whose word statistics are damaged',
      ),
    texts: z.int().describe('Snippets of those libraries to embed, at most: versions share equal texts. 0 without a provider'),
    tokens: z.int().describe('Tokens of these snippets'),
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

type ReindexRoutesPorts = RightPorts & ReindexPorts & { audit: Pick<AuditLog, 'recordAll'>; atomically: Atomically }

export const reindexRoutes = (ports: ReindexRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/reindex',
      describeRoute({
        operationId: 'getReindex',
        tags: ['Jobs'],
        summary: 'Count libraries to index again',
        description:
          'After a change of provider, model or dimensions, libraries are served with their old vectors until they are indexed again. Snippets of which the provider made no vectors are tried again, too.',
        responses: { 200: json(NeededAnswer, 'Number of libraries to index again') },
      }),
      requireRight(ports, 'admin'),
      (c) => {
        const embedder = ports.ai.embedder()
        const libraries = outdatedLibraries(ports)
        const needed = libraries.length
        return c.json({
          needed,
          ...embeddingCost(ports, libraries),
          model: embedder?.model ?? null,
          dimensions: embedder?.dimensions ?? null,
        })
      },
    )
    .post(
      '/reindex',
      describeRoute({
        operationId: 'reindex',
        tags: ['Jobs'],
        summary: 'Index libraries again that have another model, missing vectors, an old format or damaged statistics',
        description:
          'Queues one job per library, including imported ones. Each job analyses content in an old format or with damaged word statistics and embeds the snippets if a provider is set. Nothing is fetched; the old content is served until the new is complete.',
        responses: { 202: json(QueuedAnswer, 'Re-index queued') },
      }),
      requireRight(ports, 'admin'),
      (c) => {
        const answer = ports.atomically(() => {
          const queued = enqueueReindex(ports, turnOf(c.get('caller')))
          ports.audit.recordAll({ actor: actorOf(c.get('caller')), action: 'library.reindex' }, queued.queued)
          return queued
        })
        return c.json(answer, 202)
      },
    )
