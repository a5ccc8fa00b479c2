import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { Log } from '../../shared/log.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import { type StillAllowedPorts, stillAllowed } from '../access/identify.ts'
import { rejectForeignSite } from '../access/reject-foreign-page.ts'
import { type AuditFilter, type AuditLog, outcomes } from '../accounts/audit-log.ts'
import { exportAudit } from '../accounts/export-audit.ts'
import type { AuditForwards } from '../forwarding/forward-audit.ts'
import { forwardTargets } from '../forwarding/forward-store.ts'
import { downloadBody } from './download-body.ts'

const Time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z')
  .transform((text) => new Date(text).toISOString())

const Filter = z.object({
  q: z.string().max(200).optional().describe('Only entries whose actor, action or subject contains this text'),
  actor: z.string().max(200).optional().describe('Only entries of actors whose name contains this text, or who have this id'),
  action: z
    .string()
    .max(100)
    .optional()
    .describe('Only entries with this action, such as key.revoke, or with all actions of key'),
  library: z.string().max(200).optional().describe('Only entries about this library, such as /owner/repo'),
  outcome: z.enum(outcomes).optional(),
  from: Time.optional().describe('Only entries from this time on; a date without a time means 00:00 UTC'),
  to: Time.optional().describe('Only entries before this time'),
}) satisfies z.ZodType<AuditFilter>

const ListQuery = Filter.extend({ page: wholeNumberOr(1, 1, 1_000_000), pageSize: wholeNumberOr(50, 1, 200) })

const Entry = z
  .object({
    id: z.int().describe('Entries are numbered without a gap'),
    at: z.iso.datetime(),
    actor: z.string().describe('A user, a key, "command line" or "anonymous"'),
    actorId: z.string().describe('Id of the key, else of the user; empty for anonymous callers'),
    address: z.string().describe('Address of the client, or "command line"; empty if nobody sent a request'),
    action: z.string().describe('Such as key.revoke'),
    subject: z.string().describe('The user, key, setting or library'),
    library: z.string().describe('Id of the library that the entry is about; else empty'),
    outcome: z.enum(outcomes),
    hash: z.string().describe('SHA-256 over the hash of the entry before and the other fields'),
  })
  .meta({ id: 'AuditEntry' })
const AuditAnswer = z.object({ entries: z.array(Entry), total: z.int(), page: z.int(), pageSize: z.int() })

const HeadAnswer = z.object({
  id: z.int().describe('Number of the newest entry; 0 if there never was one'),
  hash: z.string(),
  forwarding: z.array(
    z.object({
      target: z.enum(forwardTargets),
      host: z.string().nullable().describe('Null if its address cannot be decrypted'),
      waiting: z.int().describe('Entries that the target does not have yet'),
      failing: z.object({ since: z.iso.datetime(), message: z.string() }).nullable(),
    }),
  ),
})

type AuditRoutesPorts = StillAllowedPorts & {
  auditForwards: Pick<AuditForwards, 'states'>
  audit: Pick<AuditLog, 'list' | 'record' | 'after' | 'head'>
  publicUrl: PublicUrl | undefined
  log: Log
  now(): Date
}

export const auditRoutes = (ports: AuditRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/audit',
      describeRoute({
        operationId: 'listAudit',
        tags: ['Accounts'],
        summary: 'List who did what, when and from where',
        description: 'Changes, sign-ins, first uses of keys and refused requests, newest first. Questions are never recorded.',
        responses: { 200: json(AuditAnswer, 'One page of the audit log') },
      }),
      requireRight(ports, 'admin'),
      input('query', ListQuery),
      (c) => {
        const { page, pageSize, ...filter } = c.req.valid('query')
        return c.json({ ...ports.audit.list(page, pageSize, filter), page, pageSize })
      },
    )
    .get(
      '/audit/head',
      describeRoute({
        operationId: 'getAuditHead',
        tags: ['Accounts'],
        summary: 'Get the newest entry of the audit log',
        description: 'Kept elsewhere, it proves that no entry before it was changed. Also says what waits to be forwarded.',
        responses: { 200: json(HeadAnswer, 'Number and hash of the newest entry') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json({ ...ports.audit.head(), forwarding: ports.auditForwards.states() }),
    )
    .get(
      '/audit/export',
      describeRoute({
        operationId: 'exportAudit',
        tags: ['Accounts'],
        summary: 'Download the audit log',
        description: 'Returns entries as JSON lines, oldest first. The download is recorded itself.',
        responses: {
          200: {
            description: 'JSON lines',
            headers: z.object({ 'Content-Disposition': z.string() }),
            content: { 'application/x-ndjson': { schema: z.string() } },
          },
        },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      input('query', Filter),
      (c) => {
        const lines = Readable.from(exportAudit(ports.audit, actorOf(c.get('caller')), c.req.valid('query')))
        const failed = (error: unknown) => requestLog(c, ports.log).error({ error }, 'the audit log cannot be sent')
        const isAllowed = () => stillAllowed(ports, c, 'admin')
        return c.body(downloadBody(c, lines, { failed, isAllowed }), 200, {
          'content-type': 'application/x-ndjson',
          'content-disposition': `attachment; filename="carrel-audit-${utcDay(ports.now())}.jsonl"`,
          'cache-control': 'no-store',
        })
      },
    )
