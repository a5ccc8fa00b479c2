import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { invalidField } from '../../../shared/errors.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { roles, TeamspaceName } from '../../access/teamspaces.ts'
import { acting } from '../access/acting.ts'
import { admin, type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import {
  changeMemberRole,
  leaveTeamspace,
  listMembers,
  type ManageMembersPorts,
  removeMember,
} from '../actions/manage-members.ts'
import { MemberList, Message } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'

const NewRole = z.strictObject({ role: z.enum(roles) })
const Confirmation = z.strictObject({ name: TeamspaceName })

export const memberRoutes = (ports: GuardPorts & ManageMembersPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/members',
      member(ports),
      describeRoute({
        operationId: 'listMembers',
        tags: ['Members'],
        summary: 'List the members of a teamspace',
        description: 'With their addresses, names and roles.',
        responses: { 200: json(MemberList, 'The members') },
      }),
      async (c) => c.json({ members: await listMembers(ports, c.get('teamspace').id) }),
    )
    .patch(
      '/teamspaces/:team/members/:user',
      admin(ports),
      describeRoute({
        operationId: 'changeRole',
        tags: ['Members'],
        summary: 'Change the role of a member',
        description: 'Only owners make or change owners. The last owner stays one.',
        responses: { 200: json(Message, 'It is changed') },
      }),
      jsonBody(maxBodyBytes),
      input('json', NewRole),
      async (c) => {
        await changeMemberRole(ports, acting(c), c.req.param('user'), c.req.valid('json').role)
        return c.json({ message: 'The role is changed.' })
      },
    )
    .delete(
      '/teamspaces/:team/members/:user',
      admin(ports),
      describeRoute({
        operationId: 'removeMember',
        tags: ['Members'],
        summary: 'Remove a member',
        description: 'The keys of the member end. Only owners remove owners.',
        responses: { 200: json(Message, 'The member is removed') },
        errors: [400],
      }),
      async (c) => {
        await removeMember(ports, acting(c), c.req.param('user'))
        return c.json({ message: 'The member is removed, and the keys of the member have ended.' })
      },
    )
    .post(
      '/teamspaces/:team/leave',
      member(ports),
      describeRoute({
        operationId: 'leaveTeamspace',
        tags: ['Members'],
        summary: 'Leave a teamspace',
        description: 'Its name confirms it. The keys of the user end. The last owner cannot leave.',
        responses: { 200: json(Message, 'The user has left') },
      }),
      jsonBody(maxBodyBytes),
      input('json', Confirmation),
      async (c) => {
        const { name } = c.get('teamspace')
        if (c.req.valid('json').name !== name)
          throw invalidField('name', `must be ${name}, the name of the teamspace that you leave`)
        await leaveTeamspace(ports, acting(c))
        return c.json({ message: `You have left ${name}, and your keys have ended.` })
      },
    )
