import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { KeyName, roles, scopes } from '../../access/teamspaces.ts'
import { acting } from '../access/acting.ts'
import { type GuardPorts, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { createTeamKey, type ManageTeamKeysPorts, revokeTeamKey } from '../actions/manage-team-keys.ts'
import { KeyList, Message, NewKeyAnswer } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'

const NewTeamKey = z.strictObject({
  name: KeyName,
  role: z.enum(roles).optional(),
  scope: z.enum(scopes).optional(),
  expiresAt: z.iso.datetime().optional(),
})

export const teamKeyRoutes = (ports: GuardPorts & ManageTeamKeysPorts) =>
  new Hono<SessionEnv>()
    .get(
      '/teamspaces/:team/keys',
      member(ports),
      describeRoute({
        operationId: 'listKeys',
        tags: ['Keys'],
        summary: 'List the API keys of a teamspace',
        description: 'Without the keys themselves, which are not stored.',
        responses: { 200: json(KeyList, 'The keys') },
      }),
      async (c) => c.json({ keys: await ports.teamspaces.listKeys(c.get('teamspace').id) }),
    )
    .post(
      '/teamspaces/:team/keys',
      member(ports),
      describeRoute({
        operationId: 'createKey',
        tags: ['Keys'],
        summary: 'Create an API key',
        description: 'A key of the user, with at most the own role. It ends with the membership.',
        responses: { 201: json(NewKeyAnswer, 'The key') },
        errors: [429],
      }),
      jsonBody(maxBodyBytes),
      input('json', NewTeamKey),
      async (c) => c.json(await createTeamKey(ports, acting(c), c.req.valid('json')), 201),
    )
    .delete(
      '/teamspaces/:team/keys/:id',
      member(ports),
      describeRoute({
        operationId: 'revokeKey',
        tags: ['Keys'],
        summary: 'Revoke an API key',
        description: 'Members revoke their own keys, admins all.',
        responses: { 200: json(Message, 'It is revoked') },
      }),
      async (c) => {
        await revokeTeamKey(ports, acting(c), c.req.param('id'))
        return c.json({ message: 'The key is revoked.' })
      },
    )
