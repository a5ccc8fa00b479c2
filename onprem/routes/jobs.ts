import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { wholeNumber, wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { type CancelJobPorts, cancelJob, findJob, type RetryPorts, retryJob } from '../actions/manage-jobs.ts'
import type { EventFeed } from '../events/event-feed.ts'
import { JobAnswer, type JobAnswerPorts, jobAnswer, jobAnswers } from '../queries/job-answer.ts'
import { type JobLogLine, jobKinds, jobStates } from '../store/jobs/job.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { maxLogLines, maxLogPage } from '../store/jobs/run-records.ts'
import { QueuedAnswer } from './parse.ts'

/** Some of these values in a query, separated by commas. */
const listOf = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .refine(
      (text) => text.split(',').every((each) => (values as readonly string[]).includes(each)),
      `must be one or more of ${values.join(', ')}, separated by commas`,
    )
    .transform((text) => text.split(',') as Value[])

const ListQuery = z.object({
  project: LibraryIdParam.optional().describe('Only jobs of this library and its versions, or of the version that the id pins'),
  q: z.string().min(1).max(500).optional().describe('Only jobs whose library id contains this text'),
  state: listOf(jobStates).optional().describe('Only jobs in these states, separated by commas'),
  kind: listOf(jobKinds).optional().describe('Only jobs of these kinds, separated by commas'),
  sort: z
    .enum(['newest', 'queue'])
    .default('newest')
    .describe('queue: unfinished jobs in the order in which they run, then the others, newest first'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})
const JobId = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) })

const LogLine = z.object({ at: z.iso.datetime(), line: z.string() })
const LoggedJob = JobAnswer.extend({
  log: z.array(LogLine).describe(`The newest lines, at most ${maxLogLines + 1}`),
})
const LogQuery = z.object({
  after: wholeNumberOr(0, 0, 1_000_000_000).describe('Number of lines to skip: `next` of the page before'),
})
const LogPage = z.object({
  lines: z.array(LogLine).describe(`At most ${maxLogPage}`),
  next: z.int().describe('The `after` of the next page; `total` if there is none yet'),
  total: z.int().describe('Lines of the log until now'),
})
const JobList = z.object({
  jobs: z.array(JobAnswer),
  total: z.int(),
  page: z.int(),
  pageSize: z.int(),
  unfinished: z.int().describe('Queued and running jobs, whatever the filters'),
  lastEventId: z.string().describe('The last event before this answer, from which GET /api/events can continue'),
  lastFailedAt: z.iso.datetime().nullable().describe('When a job failed last, whatever the filters'),
})

type JobRoutesPorts = VisiblePorts & { events: Pick<EventFeed, 'lastId'> } & RetryPorts &
  CancelJobPorts & { jobs: Pick<JobStore, 'list' | 'summary' | 'log' | 'logPage'> } & JobAnswerPorts

/** Lines can quote names and messages from repositories and hosts. */
const shown = (lines: JobLogLine[]) => lines.map(({ at, line }) => ({ at, line: visibleText(line) }))

export const jobRoutes = (ports: JobRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/jobs',
      describeRoute({
        operationId: 'listJobs',
        tags: ['Jobs'],
        summary: 'List jobs, newest first',
        description:
          'Lists the jobs of this install, which add, refresh, import or re-index a library, without logs. Filters can be combined.',
        responses: { 200: json(JobList, 'One page of jobs') },
      }),
      requireRight(ports, 'member'),
      input('query', ListQuery),
      (c) => {
        const { page, pageSize, project, q, state, kind, sort } = c.req.valid('query')
        const lastEventId = ports.events.lastId()
        const seen = visibleTo(ports, c.get('caller'))
        const { jobs, total } = seen.jobs.list(page, pageSize, {
          project,
          q,
          states: state,
          kinds: kind,
          isInOrder: sort === 'queue',
        })
        return c.json({ jobs: jobAnswers(seen, jobs), total, page, pageSize, ...seen.jobs.summary(), lastEventId })
      },
    )
    .get(
      '/jobs/:id',
      describeRoute({
        operationId: 'getJob',
        tags: ['Jobs'],
        summary: 'Get one job with its report and log',
        description:
          'Returns the files that were read, the skipped files with reasons, the number of snippets before and after, and the end of the log.',
        responses: { 200: json(LoggedJob, 'The job') },
        errors: [404],
      }),
      requireRight(ports, 'member'),
      input('param', JobId),
      (c) => {
        const seen = visibleTo(ports, c.get('caller'))
        const job = findJob(seen, c.req.valid('param').id)
        return c.json({ ...jobAnswer(seen, job), log: shown(seen.jobs.log(job.id)) })
      },
    )
    .get(
      '/jobs/:id/log',
      describeRoute({
        operationId: 'getJobLog',
        tags: ['Jobs'],
        summary: 'Get a part of the log of a job',
        description:
          'Returns the lines that follow the first `after` ones. To follow the log of a running job, repeat the request with the returned `next`.',
        responses: { 200: json(LogPage, 'One page of the log') },
        errors: [404],
      }),
      requireRight(ports, 'member'),
      input('param', JobId),
      input('query', LogQuery),
      (c) => {
        const { id } = findJob(visibleTo(ports, c.get('caller')), c.req.valid('param').id)
        const { after } = c.req.valid('query')
        const { lines, total } = ports.jobs.logPage(id, after)
        return c.json({ lines: shown(lines), next: Math.min(after, total) + lines.length, total })
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
      requireRight(ports, 'change'),
      input('param', JobId),
      async (c) => {
        const seen = visibleTo(ports, c.get('caller'))
        return c.json(jobAnswer(seen, await cancelJob(seen, c.get('caller'), c.req.valid('param').id)), 202)
      },
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
      requireRight(ports, 'change'),
      input('param', JobId),
      async (c) => {
        const caller = c.get('caller')
        return c.json(await retryJob(visibleTo(ports, caller), caller, c.req.valid('param').id), 202)
      },
    )
