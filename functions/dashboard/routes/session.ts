import { Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Teamspaces } from '../../access/teamspaces.ts'
import { signedIn } from '../access/guards.ts'
import { removeOwnCookie, type SessionEnv } from '../access/session.ts'
import { CookieHeader, Message, SessionAnswer, SessionList } from './answers.ts'
import { teamspaceAnswer } from './teamspace-answer.ts'

type SessionRoutesPorts = { sessions: Sessions; teamspaces: Pick<Teamspaces, 'teamspacesOf'>; url: string; serviceUrl: string }

export const sessionRoutes = ({ sessions, teamspaces, url, serviceUrl }: SessionRoutesPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/session',
      signedIn(),
      describeRoute({
        operationId: 'getSession',
        tags: ['Account'],
        summary: 'Get who is signed in',
        description: 'The user of the session, and the teamspaces with the role in each.',
        responses: { 200: json(SessionAnswer, 'The user') },
      }),
      async (c) => {
        const { id, email, name } = c.get('session').user
        const memberships = await teamspaces.teamspacesOf(id)
        return c.json({ user: { id, email, name }, teamspaces: memberships.map(teamspaceAnswer), serviceUrl })
      },
    )
    .get(
      '/sessions',
      signedIn(),
      describeRoute({
        operationId: 'listSessions',
        tags: ['Account'],
        summary: 'List the sessions of the user',
        description: 'Browsers in which the user is signed in.',
        responses: { 200: json(SessionList, 'The sessions') },
      }),
      async (c) => {
        const { id, user } = c.get('session')
        const list = await sessions.list(user.id)
        return c.json({ sessions: list.map((session) => ({ ...session, isCurrent: session.id === id })) })
      },
    )
    .delete(
      '/sessions',
      signedIn(),
      describeRoute({
        operationId: 'endSessions',
        tags: ['Account'],
        summary: 'End all sessions of the user',
        description: 'Signs out everywhere, here too.',
        responses: { 200: json(Message, 'They have ended', CookieHeader) },
      }),
      async (c) => {
        await sessions.endAll(c.get('session').user.id)
        removeOwnCookie(c, url, 'session')
        return c.json({ message: 'All your sessions have ended.' })
      },
    )
    .delete(
      '/sessions/:id',
      signedIn(),
      describeRoute({
        operationId: 'endSession',
        tags: ['Account'],
        summary: 'End a session of the user',
        description: 'Signs out in one browser.',
        responses: { 200: json(Message, 'It has ended', CookieHeader) },
        errors: [404],
      }),
      async (c) => {
        const { id, user } = c.get('session')
        const ending = c.req.param('id')
        if (!(await sessions.end(user.id, ending))) throw new AppError('not_found', 'You have no such session.')
        if (ending === id) removeOwnCookie(c, url, 'session')
        return c.json({ message: 'The session has ended.' })
      },
    )
