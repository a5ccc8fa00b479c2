import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { type NetworkHashPorts, networkHash } from '../../access/network-hash.ts'
import { TeamspaceName } from '../../access/teamspaces.ts'
import { type GuardPorts, member, owner, signedIn } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { createTeamspace, deleteOwnTeamspace, type ManageTeamspacesPorts, renameTeamspace } from '../actions/manage-teamspaces.ts'
import { maxBodyBytes } from './body-limit.ts'
import { teamspaceAnswer } from './teamspace-answer.ts'

const Named = z.strictObject({ name: TeamspaceName })

export const teamspaceRoutes = (ports: GuardPorts & ManageTeamspacesPorts & NetworkHashPorts) =>
  new Hono<SessionEnv>()
    .post('/teamspaces', signedIn(), jsonBody(maxBodyBytes), input('json', Named), async (c) => {
      const network = await networkHash(ports, c)
      const teamspace = await createTeamspace(ports, c.get('session').user, network, c.req.valid('json').name)
      return c.json(teamspaceAnswer({ teamspace, role: 'owner' }), 201)
    })
    .get('/teamspaces/:team', member(ports), (c) =>
      c.json(teamspaceAnswer({ teamspace: c.get('teamspace'), role: c.get('role') })),
    )
    .patch('/teamspaces/:team', owner(ports), jsonBody(maxBodyBytes), input('json', Named), async (c) => {
      const teamspace = await renameTeamspace(ports, c.get('session').user, c.get('teamspace'), c.req.valid('json').name)
      return c.json(teamspaceAnswer({ teamspace, role: c.get('role') }))
    })
    .delete('/teamspaces/:team', owner(ports), jsonBody(maxBodyBytes), input('json', Named), async (c) => {
      await deleteOwnTeamspace(ports, c.get('session').user, c.get('teamspace'), c.req.valid('json').name)
      return c.json({ message: `The teamspace ${c.get('teamspace').name} is deleted.` })
    })
