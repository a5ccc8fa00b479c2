import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { roles } from '../../access/teamspaces.ts'
import { acting } from '../access/acting.ts'
import { admin, type GuardPorts, member, signedIn } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { acceptInvite, invite, type ManageInvitesPorts, readInvite, withdrawInvite } from '../actions/manage-invites.ts'
import { InviteAnswer, InviteList, Message, NewInviteAnswer, TeamspaceAnswer } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { teamspaceAnswer } from './teamspace-answer.ts'

const NewInvite = z.strictObject({ email: z.email('must be an e-mail address').max(254), role: z.enum(roles) })

export const inviteRoutes = (ports: GuardPorts & ManageInvitesPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/invites',
      member(ports),
      describeRoute({
        operationId: 'listInvites',
        tags: ['Members'],
        summary: 'List open invitations',
        description: 'Without their links.',
        responses: { 200: json(InviteList, 'The invitations') },
      }),
      async (c) => c.json({ invites: await ports.invites.list(c.get('teamspace').id) }),
    )
    .post(
      '/teamspaces/:team/invites',
      admin(ports),
      describeRoute({
        operationId: 'invite',
        tags: ['Members'],
        summary: 'Invite a person',
        description: 'Sends a message with a link, if the service can. Only a person who signs in with that address can accept.',
        responses: { 201: json(NewInviteAnswer, 'The invitation') },
        errors: [429],
      }),
      jsonBody(maxBodyBytes),
      input('json', NewInvite),
      async (c) => {
        const { invite: created, link, sent } = await invite(ports, acting(c), c.req.valid('json'))
        return c.json({ ...created, link, sent }, 201)
      },
    )
    .delete(
      '/teamspaces/:team/invites/:id',
      admin(ports),
      describeRoute({
        operationId: 'withdrawInvite',
        tags: ['Members'],
        summary: 'Withdraw an invitation',
        description: 'Its link ends.',
        responses: { 200: json(Message, 'It is withdrawn') },
      }),
      async (c) => {
        await withdrawInvite(ports, acting(c), c.req.param('id'))
        return c.json({ message: 'The invitation is withdrawn.' })
      },
    )
    .get(
      '/invites/:token',
      signedIn(),
      describeRoute({
        operationId: 'getInvite',
        tags: ['Members'],
        summary: 'Get an invitation',
        description: 'For its addressee.',
        responses: { 200: json(InviteAnswer, 'The invitation') },
        errors: [404],
      }),
      async (c) => {
        const { teamspace, role, invite: found } = await readInvite(ports, c.get('session').user, c.req.param('token'))
        return c.json({ teamspace: { name: teamspace.name }, role, email: found.email, expiresAt: found.expiresAt })
      },
    )
    .post(
      '/invites/:token/accept',
      signedIn(),
      describeRoute({
        operationId: 'acceptInvite',
        tags: ['Members'],
        summary: 'Accept an invitation',
        description: 'Makes the user a member. A member keeps the role.',
        responses: { 200: json(TeamspaceAnswer, 'The teamspace') },
        errors: [404],
      }),
      async (c) => c.json(teamspaceAnswer(await acceptInvite(ports, c.get('session').user, c.req.param('token')))),
    )
