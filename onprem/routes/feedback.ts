import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { libraryKey, printLibraryId } from '../../shared/library.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { wholeNumber, wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { csvCell } from '../../shared/usage/usage-csv.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { actorOf, type Caller, type CallerEnv, requireRight } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import { findVisible, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
import { type Feedback, feedbackKinds } from '../store/feedback-store.ts'
import { addPageUrl } from '../usage/add-page-url.ts'
import type { KeptFeedback } from '../usage/kept-feedback.ts'

const maxBodyBytes = 2_048
const maxCsvRows = 100_000

/** Text of a caller, without the characters that people cannot see. */
const PlainText = (chars: number) =>
  z
    .string()
    .max(chars)
    .transform((text) => visibleText(text).trim())

const Rating = z.strictObject({
  libraryId: LibraryIdParam.describe('The library that answered'),
  helpful: z.boolean().describe('Whether the answer helped'),
  question: PlainText(1_000).default('').describe('The question that was asked'),
  comment: PlainText(1_000).default('').describe('What was wrong or missing'),
})
const ListQuery = z.object({
  libraryId: LibraryIdParam.optional().describe('Only feedback about this library'),
  kind: z.enum(feedbackKinds).optional().describe('Only questions without an answer, or ratings of this kind'),
  format: z.enum(['json', 'csv']).default('json'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})
const RemoveQuery = z.object({ libraryId: LibraryIdParam.optional().describe('Only feedback about this library') })
const FeedbackId = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) })

const Entry = z.object({
  id: z.int(),
  libraryId: z.string(),
  at: z.iso.datetime().describe('When it was sent, or when the question was asked last'),
  kind: z.enum(feedbackKinds),
  question: z.string(),
  comment: z.string(),
  times: z.int().describe('How often the question had no answer; 1 for a rating'),
  addPageUrl: z.string().nullable().describe('Where a page that answers the question can be added; null if that is not known'),
})
const FeedbackAnswer = z.object({ feedback: z.array(Entry), total: z.int(), page: z.int(), pageSize: z.int() })

type FeedbackRoutesPorts = VisiblePorts &
  VisibleLibrariesPorts & { feedback: KeptFeedback; audit: Pick<AuditLog, 'record'>; atomically: Atomically }

/** Routes for what people and agents say about answers. Every route answers 404 while `feedback.enabled` is off. */
export const feedbackRoutes = (ports: FeedbackRoutesPorts) =>
  new Hono<CallerEnv>()
    .post(
      '/v2/feedback',
      describeRoute({
        operationId: 'sendFeedback',
        tags: ['Context'],
        summary: 'Rate an answer',
        description:
          'Says whether an answer helped. 404 unless the install keeps feedback (setting feedback.enabled). At most 100 in 24 hours and key.',
        responses: { 201: json(z.object({ message: z.string() }), 'The rating is stored') },
        errors: [404, 429],
      }),
      requireRight(ports, 'member'),
      jsonBody(maxBodyBytes),
      input('json', Rating),
      (c) => {
        requireOn(ports)
        const { libraryId, helpful, question, comment } = c.req.valid('json')
        findVisible(visibleTo(ports, c.get('caller')), libraryId)
        const kind = helpful ? 'helpful' : 'unhelpful'
        ports.feedback.rate({ key: libraryKey(libraryId), kind, question, comment, author: authorOf(c.get('caller')) })
        return c.json({ message: 'The rating is stored.' }, 201)
      },
    )
    .get(
      '/feedback',
      describeRoute({
        operationId: 'listFeedback',
        tags: ['Metrics'],
        summary: 'List feedback and questions without an answer, newest first',
        description:
          'Returns questions that no documentation answered, and ratings of answers, for as long as feedback.retentionDays says.',
        responses: {
          200: {
            description: 'One page as JSON, or all as CSV',
            headers: z.object({ 'Content-Disposition': z.string().optional().describe('The file name of CSV') }),
            content: { 'application/json': { schema: FeedbackAnswer }, 'text/csv': { schema: z.string() } },
          },
        },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('query', ListQuery),
      (c) => {
        requireOn(ports)
        const { libraryId, kind, format, page, pageSize } = c.req.valid('query')
        const filter = { key: libraryId && libraryKey(libraryId), kind }
        if (format === 'json') {
          const { feedback, total } = ports.feedback.list(filter, page, pageSize)
          return c.json({ feedback: feedback.map((each) => shownEntry(ports, each)), total, page, pageSize })
        }
        c.header('content-type', 'text/csv; charset=utf-8')
        c.header('content-disposition', 'attachment; filename="carrel-feedback.csv"')
        c.header('cache-control', 'no-store')
        return c.body(feedbackCsv(ports.feedback.list(filter, 1, maxCsvRows).feedback.map((each) => shownEntry(ports, each))))
      },
    )
    .delete(
      '/feedback',
      describeRoute({
        operationId: 'deleteFeedback',
        tags: ['Metrics'],
        summary: 'Delete the feedback about a library or about all',
        description: 'Deletes questions and ratings at once and for ever.',
        responses: { 200: json(z.object({ deleted: z.int() }), 'How many were deleted') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('query', RemoveQuery),
      (c) => {
        requireOn(ports)
        const { libraryId } = c.req.valid('query')
        const deleted = ports.atomically(() => {
          recordDeletion(ports, c.get('caller'), libraryId ? printLibraryId(libraryId) : 'all libraries')
          return ports.feedback.removeAll(libraryId && libraryKey(libraryId))
        })
        return c.json({ deleted })
      },
    )
    .delete(
      '/feedback/:id',
      describeRoute({
        operationId: 'deleteFeedbackEntry',
        tags: ['Metrics'],
        summary: 'Delete one question or rating',
        description: 'Deletes it at once and for ever.',
        responses: { 200: json(z.object({ deleted: z.int() }), 'It was deleted') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', FeedbackId),
      (c) => {
        requireOn(ports)
        const { id } = c.req.valid('param')
        ports.atomically(() => {
          if (!ports.feedback.remove(id)) throw new AppError('not_found', `There is no feedback with the id ${id}.`)
          recordDeletion(ports, c.get('caller'), String(id))
        })
        return c.json({ deleted: 1 })
      },
    )

function requireOn({ feedback }: { feedback: KeptFeedback }): void {
  if (!feedback.isOn())
    throw new AppError(
      'not_found',
      'This install keeps no feedback. An admin can turn it on: Settings > Feedback, or feedback.enabled.',
    )
}

const recordDeletion = ({ audit }: { audit: Pick<AuditLog, 'record'> }, caller: Caller, subject: string): void =>
  audit.record({ actor: actorOf(caller), action: 'feedback.delete', subject })

/** The limit counts each key separately, and all sessions of a user together. */
const authorOf = ({ holder }: Caller): string => holder?.id ?? 'anonymous'

function shownEntry(ports: VisibleLibrariesPorts, { key, ...entry }: Feedback) {
  const library = ports.catalog.find(keyedId(key))
  return { ...entry, libraryId: library?.id ?? key, addPageUrl: library ? addPageUrl(ports.gitHosts(), library) : null }
}

function keyedId(key: string) {
  const [owner = '', repo = ''] = key.slice(1).split('/')
  return { owner, repo }
}

const columns = ['library', 'at', 'kind', 'question', 'comment', 'times']

/** CSV (RFC 4180) for spreadsheets. */
const feedbackCsv = (entries: readonly Omit<Feedback & { libraryId: string }, 'key'>[]): string =>
  [
    columns,
    ...entries.map(({ libraryId, at, kind, question, comment, times }) => [libraryId, at, kind, question, comment, times]),
  ]
    .map((row) => `${row.map(csvCell).join(',')}\r\n`)
    .join('')
