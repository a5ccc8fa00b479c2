import { Hono } from 'hono'
import { z } from 'zod'
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
import { maxBodyBytes } from './body-limit.ts'

const NewRole = z.strictObject({ role: z.enum(roles) })
const Confirmation = z.strictObject({ name: TeamspaceName })

export const memberRoutes = (ports: GuardPorts & ManageMembersPorts) =>
  new Hono<SessionEnv>()
    .get('/teamspaces/:team/members', member(ports), async (c) =>
      c.json({ members: await listMembers(ports, c.get('teamspace').id) }),
    )
    .patch('/teamspaces/:team/members/:user', admin(ports), jsonBody(maxBodyBytes), input('json', NewRole), async (c) => {
      await changeMemberRole(ports, acting(c), c.req.param('user'), c.req.valid('json').role)
      return c.json({ message: 'The role is changed.' })
    })
    .delete('/teamspaces/:team/members/:user', admin(ports), async (c) => {
      await removeMember(ports, acting(c), c.req.param('user'))
      return c.json({ message: 'The member is removed, and the keys of the member have ended.' })
    })
    .post('/teamspaces/:team/leave', member(ports), jsonBody(maxBodyBytes), input('json', Confirmation), async (c) => {
      const { name } = c.get('teamspace')
      if (c.req.valid('json').name !== name)
        throw invalidField('name', `must be ${name}, the name of the teamspace that you leave`)
      await leaveTeamspace(ports, acting(c))
      return c.json({ message: `You have left ${name}, and your keys have ended.` })
    })
