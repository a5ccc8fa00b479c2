import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { wholeNumber, wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type CancelJobPorts, cancelJob } from '../jobs/cancel-job.ts'
import { findJob } from '../jobs/find-job.ts'
import { type RetryPorts, retryJob } from '../jobs/retry-job.ts'
import { jobStates } from '../store/job.ts'
import type { JobStore } from '../store/job-store.ts'
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
    error: z.string().nullable().describe('Why it failed: an error code, a colon and a sentence'),
    report: ReportAnswer.nullable(),
  })
  .meta({ id: 'Job' })
const LoggedJob = JobAnswer.extend({ log: z.array(z.object({ at: z.iso.datetime(), line: z.string() })) })
const JobList = z.object({ jobs: z.array(JobAnswer), total: z.int(), page: z.int(), pageSize: z.int() })

type JobRoutesPorts = RightPorts & RetryPorts & CancelJobPorts & { jobs: Pick<JobStore, 'list' | 'log'> }

export const jobRoutes = (ports: JobRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/jobs',
      describeRoute({
        operationId: 'listJobs',
        tags: ['Jobs'],
        summary: 'List jobs, newest first',
        description: 'Lists every parse, import and re-index of this install, without logs.',
        responses: { 200: json(JobList, 'One page of jobs') },
      }),
      requireRight(ports, 'member'),
      input('query', ListQuery),
      (c) => {
        const { page, pageSize } = c.req.valid('query')
        return c.json({ ...ports.jobs.list(page, pageSize), page, pageSize })
      },
    )
    .get(
      '/jobs/:id',
      describeRoute({
        operationId: 'getJob',
        tags: ['Jobs'],
        summary: 'Get one job with its report and log',
        description:
          'Returns the files that were read, the skipped files with reasons, the number of snippets before and after, and the log.',
        responses: { 200: json(LoggedJob, 'The job') },
        errors: [404],
      }),
      requireRight(ports, 'member'),
      input('param', JobId),
      (c) => {
        const job = findJob(ports, c.req.valid('param').id)
        return c.json({ ...job, log: ports.jobs.log(job.id) })
      },
    )
    .post(
      '/jobs/:id/cancel',
      describeRoute({
        operationId: 'cancelJob',
        tags: ['Jobs'],
        summary: 'Cancel an unfinished job',
        description: 'Responds when the job has ended. The old content is still served.',
        responses: { 202: json(JobAnswer, 'The cancelled job') },
        errors: [404],
      }),
      requireRight(ports, 'member'),
      input('param', JobId),
      async (c) => c.json(await cancelJob(ports, c.req.valid('param').id), 202),
    )
    .post(
      '/jobs/:id/retry',
      describeRoute({
        operationId: 'retryJob',
        tags: ['Jobs'],
        summary: 'Retry a failed or cancelled job',
        description: 'Queues a new job with the same request. Retrying an import requires an offline license.',
        responses: { 202: json(QueuedAnswer, 'New job queued') },
        errors: [404, 409],
      }),
      requireRight(ports, 'member'),
      input('param', JobId),
      async (c) => c.json(await retryJob(ports, c.req.valid('param').id), 202),
    )
