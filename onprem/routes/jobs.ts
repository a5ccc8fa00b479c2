import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { AppError } from '../../shared/errors.ts'
import { wholeNumber, wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'
import { retryJob } from '../jobs/retry-job.ts'
import { type Job, jobStates } from '../store/job.ts'
import { QueuedAnswer } from './parse.ts'

const ListQuery = z.object({
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})
const JobId = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) })

const ReportAnswer = z.object({
  filesRead: z.int(),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  snippetsBefore: z.int(),
  snippetsAfter: z.int(),
  tokens: z.int(),
  durationMs: z.int(),
  textsEmbedded: z.int(),
  llmTokens: z.int(),
  versions: z
    .array(z.object({ version: z.string(), filesRead: z.int(), snippets: z.int(), tokens: z.int(), skipped: z.int() }))
    .optional()
    .describe('A row for each version that is served after the job or failed in it; version "" is the default content'),
})

const JobAnswer = z
  .object({
    id: z.int(),
    project: z.string(),
    kind: z.enum(['parse', 'import', 'reindex']),
    state: z.enum(jobStates),
    filesDone: z.int(),
    filesTotal: z.int(),
    snippets: z.int(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    error: z.string().nullable().describe('Why it failed: a code of the error table, a colon and a sentence'),
    report: ReportAnswer.nullable(),
  })
  .meta({ id: 'Job' })
const LoggedJob = JobAnswer.extend({ log: z.array(z.object({ at: z.iso.datetime(), line: z.string() })) })
const JobList = z.object({ jobs: z.array(JobAnswer), total: z.int(), page: z.int(), pageSize: z.int() })

export const jobRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/jobs', requireRight(app, 'member'), input('query', ListQuery), (c) => {
      const { page, pageSize } = c.req.valid('query')
      return c.json({ ...app.jobs.list(page, pageSize), page, pageSize })
    })
    .get('/jobs/:id', requireRight(app, 'member'), input('param', JobId), (c) => {
      const job = find(app, c.req.valid('param').id)
      return c.json({ ...job, log: app.jobs.log(job.id) })
    })
    .post('/jobs/:id/cancel', requireRight(app, 'member'), input('param', JobId), async (c) => {
      const job = find(app, c.req.valid('param').id)
      if (!(await app.worker.cancel(job.id)))
        throw new AppError(
          'validation_error',
          `Job ${job.id} is ${find(app, job.id).state}; only an unfinished job is cancelled.`,
        )
      return c.json(find(app, job.id), 202)
    })
    .post('/jobs/:id/retry', requireRight(app, 'member'), input('param', JobId), async (c) => {
      return c.json(await retryJob(app, c.req.valid('param').id), 202)
    })

export const jobOperations: Operations = {
  '/jobs': {
    get: {
      operationId: 'listJobs',
      tags: ['Jobs'],
      summary: 'List jobs, newest first',
      description: 'Lists every parse, import and re-index of this install, without logs.',
      security: keyNeeded,
      requestParams: { query: ListQuery },
      responses: { 200: json(JobList, 'One page of jobs'), ...errors(400, 401) },
    },
  },
  '/jobs/{id}': {
    get: {
      operationId: 'getJob',
      tags: ['Jobs'],
      summary: 'Get one job with its report and log',
      description:
        'Returns the files that were read, the skipped files with reasons, the number of snippets before and after, and the log.',
      security: keyNeeded,
      requestParams: { path: JobId },
      responses: { 200: json(LoggedJob, 'The job'), ...errors(400, 401, 404) },
    },
  },
  '/jobs/{id}/cancel': {
    post: {
      operationId: 'cancelJob',
      tags: ['Jobs'],
      summary: 'Cancel an unfinished job',
      description: 'Responds when the job has ended. The old content is still served.',
      security: keyNeeded,
      requestParams: { path: JobId },
      responses: { 202: json(JobAnswer, 'The cancelled job'), ...errors(400, 401, 404) },
    },
  },
  '/jobs/{id}/retry': {
    post: {
      operationId: 'retryJob',
      tags: ['Jobs'],
      summary: 'Retry a failed or cancelled job',
      description: 'Queues a new job with the same request. Retrying an import requires an offline license.',
      security: keyNeeded,
      requestParams: { path: JobId },
      responses: { 202: json(QueuedAnswer, 'New job queued'), ...errors(400, 401, 403, 404, 409) },
    },
  },
}

function find({ jobs }: Pick<App, 'jobs'>, id: number): Job {
  const job = jobs.get(id)
  if (!job) throw new AppError('not_found', `There is no job ${id}.`)
  return job
}
