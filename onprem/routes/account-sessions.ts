import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { actorOf, type Caller, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { UserStore } from '../accounts/user-store.ts'
import { requestHeaders } from './sessions.ts'

const SessionList = z.object({
  sessions: z.array(
    z
      .object({
        id: z.string(),
        createdAt: z.iso.datetime(),
        lastUsedAt: z.iso.datetime().describe('To the hour'),
        expiresAt: z.iso.datetime(),
        userAgent: z.string().describe('What the browser calls itself'),
        current: z.boolean().describe('Whether it is the session of this request'),
      })
      .meta({ id: 'AccountSession' }),
  ),
})
const SessionId = z.object({ id: z.string().min(1).max(100) })
const Message = z.object({ message: z.string() })

type AccountSessionPorts = RightPorts & {
  accounts: Pick<Accounts, 'session'>
  users: Pick<UserStore, 'sessions' | 'endSessionOf'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
}

/** The sessions of the caller's user. */
export const accountSessionRoutes = (ports: AccountSessionPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/account/sessions',
      describeRoute({
        operationId: 'listSessions',
        tags: ['Accounts'],
        summary: 'List your sessions',
        description: 'Lists the browsers in which you are signed in, last used first.',
        responses: { 200: json(SessionList, 'Your sessions') },
      }),
      requireRight(ports, 'change'),
      async (c) => {
        const current = await ports.accounts.session(requestHeaders(c))
        const sessions = ports.users.sessions(userOf(c.get('caller')))
        return c.json({ sessions: sessions.map((each) => ({ ...each, current: each.id === current?.id })) })
      },
    )
    .delete(
      '/account/sessions/:id',
      describeRoute({
        operationId: 'endSession',
        tags: ['Accounts'],
        summary: 'End one of your sessions',
        description: 'The browser with this session is signed out immediately.',
        responses: { 200: json(Message, 'Session ended') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      input('param', SessionId),
      (c) => {
        const caller = c.get('caller')
        ports.atomically(() => {
          if (!ports.users.endSessionOf(userOf(caller), c.req.valid('param').id))
            throw new AppError('not_found', 'You have no session with this id.')
          ports.audit.record({ actor: actorOf(caller), action: 'session.end', subject: caller.holder?.username ?? '' })
        })
        return c.json({ message: 'The session has ended.' })
      },
    )

/** A key of the install has no user, so it has no sessions. */
const userOf = ({ holder }: Caller): string => holder?.userId ?? ''
