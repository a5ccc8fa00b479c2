import { Hono } from 'hono'
import { AppError } from '../../../shared/errors.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Teamspaces } from '../../access/teamspaces.ts'
import { signedIn } from '../access/guards.ts'
import { removeOwnCookie, type SessionEnv } from '../access/session.ts'
import { teamspaceAnswer } from './teamspace-answer.ts'

type SessionRoutesPorts = { sessions: Sessions; teamspaces: Pick<Teamspaces, 'teamspacesOf'>; url: string }

export const sessionRoutes = ({ sessions, teamspaces, url }: SessionRoutesPorts) =>
  new Hono<SessionEnv>()
    .get('/session', signedIn(), async (c) => {
      const { id, email, name } = c.get('session').user
      const memberships = await teamspaces.teamspacesOf(id)
      return c.json({ user: { id, email, name }, teamspaces: memberships.map(teamspaceAnswer) })
    })
    .get('/sessions', signedIn(), async (c) => {
      const { id, user } = c.get('session')
      const list = await sessions.list(user.id)
      return c.json({ sessions: list.map((session) => ({ ...session, isCurrent: session.id === id })) })
    })
    .delete('/sessions', signedIn(), async (c) => {
      await sessions.endAll(c.get('session').user.id)
      removeOwnCookie(c, url, 'session')
      return c.json({ message: 'All your sessions have ended.' })
    })
    .delete('/sessions/:id', signedIn(), async (c) => {
      const { id, user } = c.get('session')
      const ending = c.req.param('id')
      if (!(await sessions.end(user.id, ending))) throw new AppError('not_found', 'You have no such session.')
      if (ending === id) removeOwnCookie(c, url, 'session')
      return c.json({ message: 'The session has ended.' })
    })
