import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, type Operations } from '../../shared/api/operations.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { ParseRequest } from '../../shared/indexing/index-job.ts'
import { type Caller, type CallerEnv, mayRead, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'
import { enqueueParse, type Queued } from '../jobs/enqueue-parse.ts'
import type { ActiveJob } from '../store/job.ts'

const bodyBytes = 1024 * 1024

export const QueuedAnswer = z
  .object({
    message: z.string(),
    project: z.string().describe('/owner/repo'),
    queueId: z.int().describe('Id of the job'),
    position: z.int().nullable().describe('Number of jobs ahead; null if the job starts immediately'),
  })
  .meta({ id: 'ParseQueued' })

const ActiveParse = z.object({
  status: z.enum(['queued', 'parsing', 'finalizing']),
  position: z.int().optional(),
  createdAt: z.iso.datetime().optional(),
  startedAt: z.iso.datetime().optional(),
  duration: z.number().optional().describe('Seconds'),
  statusMessage: z.string().optional(),
})

export const parseRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .post('/parse', requireRight(app, 'parse'), jsonBody(bodyBytes), input('json', ParseRequest), async (c) => {
      return c.json(await enqueueFor(app, c.get('caller'), c.req.valid('json')), 202)
    })
    .get('/parse-status', requireRight(app, 'read'), (c) => {
      const activeParses = Object.fromEntries(app.jobs.active().map((job) => [job.project, status(job, app.now())]))
      return c.json({ activeParses })
    })

/** Queues what a caller asks to have parsed. Throws what `enqueueParse` throws. */
export const enqueueFor = (app: App, caller: Caller, request: ParseRequest): Promise<Queued> =>
  enqueueParse(app, request, caller.holder === undefined).catch((error: unknown) =>
    Promise.reject(mayRead(app, caller) ? error : withoutAddress(error)),
  )

export const parseOperations: Operations = {
  '/parse': {
    post: {
      operationId: 'parseRepo',
      tags: ['Parse'],
      summary: 'Add a library from a repository',
      description:
        'Queues a job that fetches, splits and indexes the repository. Without a key (if the setting permissions.anonymousParse is on) only public repositories can be added, with their default branch and settings. If the library exists, that is a refresh if permissions.anonymousRefresh is on, else 409.',
      requestBody: { required: true, content: { 'application/json': { schema: ParseRequest } } },
      responses: { 202: json(QueuedAnswer, 'Parse queued'), ...errors(400, 401, 403, 409, 413, 504) },
    },
  },
  '/parse-status': {
    get: {
      operationId: 'getParseStatus',
      tags: ['Parse'],
      summary: 'List unfinished jobs by library',
      description: 'Shows the progress of each library that is being parsed or is queued. Finished jobs are not listed.',
      responses: { 200: json(z.object({ activeParses: z.record(z.string(), ActiveParse) }), 'Unfinished jobs'), ...errors(401) },
    },
  },
}

/** Where the library of the same id comes from is not for a caller who may see no names. */
function withoutAddress(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'duplicate_repo') return error
  const message = 'A library with this id exists already. Send a key of this install to see which.'
  return new AppError('duplicate_repo', message, { cause: error })
}

function status(job: ActiveJob, now: Date): z.infer<typeof ActiveParse> {
  if (job.state === 'queued') return { status: 'queued', position: job.position, createdAt: job.createdAt }
  const startedAt = job.startedAt ?? job.createdAt
  const duration = Math.max(0, (now.getTime() - Date.parse(startedAt)) / 1000)
  if (job.state === 'finalizing') return { status: 'finalizing', startedAt, duration }
  const files = job.filesTotal > 0 ? ` (${job.filesDone} of ${job.filesTotal})` : ''
  return { status: 'parsing', startedAt, duration, statusMessage: `${job.statusMessage ?? 'Starting'}${files}` }
}
