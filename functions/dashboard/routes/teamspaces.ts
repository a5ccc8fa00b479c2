import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { type NetworkHashPorts, networkHash } from '../../access/network-hash.ts'
import { TeamspaceName } from '../../access/teamspaces.ts'
import { type GuardPorts, member, owner, signedIn } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { createTeamspace, deleteOwnTeamspace, type ManageTeamspacesPorts, renameTeamspace } from '../actions/manage-teamspaces.ts'
import { Message, TeamspaceAnswer } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { teamspaceAnswer } from './teamspace-answer.ts'

const Named = z.strictObject({ name: TeamspaceName })

export const teamspaceRoutes = (ports: GuardPorts & ManageTeamspacesPorts & NetworkHashPorts) =>
  new Hono<SessionEnv>()
    .post(
      '/teamspaces',
      signedIn(),
      describeRoute({
        operationId: 'createTeamspace',
        tags: ['Teamspaces'],
        summary: 'Create a teamspace',
        description: 'The user becomes its owner. Its plan is free; the operator changes it.',
        responses: { 201: json(TeamspaceAnswer, 'It is created') },
        errors: [429],
      }),
      jsonBody(maxBodyBytes),
      input('json', Named),
      async (c) => {
        const network = await networkHash(ports, c)
        const teamspace = await createTeamspace(ports, c.get('session').user, network, c.req.valid('json').name)
        return c.json(teamspaceAnswer({ teamspace, role: 'owner' }), 201)
      },
    )
    .get(
      '/teamspaces/:team',
      member(ports),
      describeRoute({
        operationId: 'getTeamspace',
        tags: ['Teamspaces'],
        summary: 'Get a teamspace',
        description: 'A teamspace of the user. One of others is answered like a missing one, here and everywhere.',
        responses: { 200: json(TeamspaceAnswer, 'The teamspace') },
      }),
      (c) => c.json(teamspaceAnswer({ teamspace: c.get('teamspace'), role: c.get('role') })),
    )
    .patch(
      '/teamspaces/:team',
      owner(ports),
      describeRoute({
        operationId: 'renameTeamspace',
        tags: ['Teamspaces'],
        summary: 'Rename a teamspace',
        description: 'Names are compared without case.',
        responses: { 200: json(TeamspaceAnswer, 'The teamspace after the change') },
      }),
      jsonBody(maxBodyBytes),
      input('json', Named),
      async (c) => {
        const teamspace = await renameTeamspace(ports, c.get('session').user, c.get('teamspace'), c.req.valid('json').name)
        return c.json(teamspaceAnswer({ teamspace, role: c.get('role') }))
      },
    )
    .delete(
      '/teamspaces/:team',
      owner(ports),
      describeRoute({
        operationId: 'deleteTeamspace',
        tags: ['Teamspaces'],
        summary: 'Delete a teamspace with its data',
        description: 'Its name confirms it. Its private libraries, keys, licenses and policies are deleted, too.',
        responses: { 200: json(Message, 'It is deleted') },
        errors: [409],
      }),
      jsonBody(maxBodyBytes),
      input('json', Named),
      async (c) => {
        await deleteOwnTeamspace(ports, c.get('session').user, c.get('teamspace'), c.req.valid('json').name)
        return c.json({ message: `The teamspace ${c.get('teamspace').name} is deleted.` })
      },
    )
