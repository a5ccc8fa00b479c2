import { Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import type { Audit } from '../../access/audit.ts'
import { admin, type GuardPorts } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { AuditList } from './answers.ts'

const maxEntries = 200

export const auditRoutes = (ports: GuardPorts & { audit: Pick<Audit, 'latest'> }) =>
  new Hono<SessionEnv>().get(
    '/teamspaces/:team/audit',
    admin(ports),
    describeRoute({
      operationId: 'listAudit',
      tags: ['Members'],
      summary: 'List the latest changes of a teamspace',
      description: 'Who changed what, and whether that has succeeded.',
      responses: { 200: json(AuditList, 'The changes') },
    }),
    async (c) => c.json({ entries: await ports.audit.latest(c.get('teamspace').id, maxEntries) }),
  )
