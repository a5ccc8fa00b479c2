import { Hono } from 'hono'
import type { Audit } from '../../access/audit.ts'
import { admin, type GuardPorts } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'

const maxEntries = 200

export const auditRoutes = (ports: GuardPorts & { audit: Pick<Audit, 'latest'> }) =>
  new Hono<SessionEnv>().get('/teamspaces/:team/audit', admin(ports), async (c) =>
    c.json({ entries: await ports.audit.latest(c.get('teamspace').id, maxEntries) }),
  )
