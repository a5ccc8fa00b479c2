import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'

const ListQuery = z.object({
  q: z.string().max(200).default('').describe('Only entries whose actor, action or subject contains this text'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})

const Entry = z.object({
  at: z.iso.datetime(),
  actor: z.string().describe('A user, a key, "command line" or "anonymous"'),
  action: z.string().describe('Such as key.revoke'),
  subject: z.string().describe('The user, key, setting or library'),
})
const AuditAnswer = z.object({ entries: z.array(Entry), total: z.int(), page: z.int(), pageSize: z.int() })

type AuditRoutesPorts = RightPorts & { audit: Pick<AuditLog, 'list'> }

export const auditRoutes = (ports: AuditRoutesPorts) =>
  new Hono<CallerEnv>().get(
    '/audit',
    describeRoute({
      operationId: 'listAudit',
      tags: ['Accounts'],
      summary: 'List changes and who made them',
      description: 'Changes of settings, permissions, users, keys and policies, and deleted libraries, newest first.',
      responses: { 200: json(AuditAnswer, 'One page of the audit log') },
    }),
    requireRight(ports, 'admin'),
    input('query', ListQuery),
    (c) => {
      const { q, page, pageSize } = c.req.valid('query')
      return c.json({ ...ports.audit.list(page, pageSize, q), page, pageSize })
    },
  )
