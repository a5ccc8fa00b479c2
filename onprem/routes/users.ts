import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../shared/api/if-match.ts'
import { input } from '../../shared/api/input.ts'
import { etagOf } from '../../shared/http/etag.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { roles } from '../accounts/key-store.ts'
import type { User } from '../accounts/user.ts'
import {
  changeUser,
  createUser,
  deleteUser,
  endSessions,
  type ManageUsersPorts,
  NewUser,
  removeSecondFactor,
  stateOfUsers,
  UserChange,
} from '../actions/manage-users.ts'

const maxBodyBytes = 16 * 1024

const UserId = z.object({ id: z.string() })

const UserAnswer = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(roles),
    disabled: z.boolean(),
    mustChangePassword: z.boolean().describe('Someone else set the password, and the user did not change it yet'),
    createdAt: z.iso.datetime(),
    lastSignInAt: z.iso.datetime().nullable(),
    hostAccounts: z.record(z.string(), z.string()).describe('Accounts at git hosts, by the names of the hosts in the settings'),
    issuer: z.string().nullable().describe('The issuer at which the user signs in; null for a user with a password'),
    secondFactor: z.boolean().describe('A sign-in asks for a code or a passkey after the password'),
  })
  .meta({ id: 'User' })
const UserList = z.object({ users: z.array(UserAnswer), total: z.int() })
const Message = z.object({ message: z.string() })

type UserRoutesPorts = RightPorts & ManageUsersPorts

export const userRoutes = (ports: UserRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/users',
      describeRoute({
        operationId: 'listUsers',
        tags: ['Accounts'],
        summary: 'List users of this install',
        description: 'Lists all users, including disabled ones, oldest first.',
        responses: { 200: json(UserList, 'Users', EtagHeader) },
      }),
      requireRight(ports, 'admin'),
      (c) => {
        const users = ports.users.list().map((user) => userAnswer(ports, user))
        return c.json({ users, total: users.length }, 200, { etag: etagOf(stateOfUsers(ports)) })
      },
    )
    .post(
      '/users',
      describeRoute({
        operationId: 'createUser',
        tags: ['Accounts'],
        summary: 'Create a user',
        description:
          'The user can sign in immediately, and must then choose another password before anything else. A member can add, import and search libraries; an admin can do everything.',
        responses: { 201: json(UserId, 'User created') },
        errors: [429],
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', NewUser),
      async (c) => c.json({ id: await createUser(ports, c.get('caller'), c.req.valid('json')) }, 201),
    )
    .patch(
      '/users/:id',
      describeRoute({
        operationId: 'changeUser',
        tags: ['Accounts'],
        summary: 'Change a user',
        description:
          'A new role applies from the next request on, also to keys. A new password or disabling the user ends all sessions. Users whose password someone else set must choose another one at the next sign-in; their keys keep working. The last admin cannot be demoted or disabled.',
        responses: { 200: json(UserAnswer, 'User after the change') },
        errors: [404, 429],
      }),
      requireRight(ports, 'admin'),
      ifMatch(),
      jsonBody(maxBodyBytes),
      input('param', UserId),
      input('json', UserChange),
      async (c) => {
        const { id } = c.req.valid('param')
        const user = await changeUser(ports, c.get('caller'), id, c.req.valid('json'), c.req.header('if-match'))
        return c.json(userAnswer(ports, user))
      },
    )
    .delete(
      '/users/:id/sessions',
      describeRoute({
        operationId: 'endSessionsOfUser',
        tags: ['Accounts'],
        summary: 'End all sessions of a user',
        description: 'The user is signed out in all browsers immediately. Keys keep working.',
        responses: { 200: json(Message, 'Sessions ended') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', UserId),
      (c) => {
        const { username } = endSessions(ports, c.get('caller'), c.req.valid('param').id)
        return c.json({ message: `${username} is signed out everywhere.` })
      },
    )
    .delete(
      '/users/:id/second-factor',
      describeRoute({
        operationId: 'removeSecondFactor',
        tags: ['Accounts'],
        summary: 'Remove the second factor of a user',
        description:
          'For somebody who lost it: removes authenticator app, passkeys and recovery codes, and ends all sessions. The next sign-in needs the password only.',
        responses: { 200: json(Message, 'Second factor removed') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', UserId),
      (c) => {
        const { username } = removeSecondFactor(ports, c.get('caller'), c.req.valid('param').id)
        return c.json({ message: `${username} has no second factor now, and is signed out everywhere.` })
      },
    )
    .delete(
      '/users/:id',
      describeRoute({
        operationId: 'deleteUser',
        tags: ['Accounts'],
        summary: 'Delete a user',
        description: 'Deletes the user with all sessions and keys. You cannot delete yourself or the last admin.',
        responses: { 200: json(Message, 'User deleted') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      ifMatch(),
      input('param', UserId),
      (c) => {
        const { username } = deleteUser(ports, c.get('caller'), c.req.valid('param').id, c.req.header('if-match'))
        return c.json({ message: `${username} is deleted, with all sessions and keys.` })
      },
    )

const userAnswer = (
  { hostAccounts }: Pick<ManageUsersPorts, 'hostAccounts'>,
  { id, username, role, disabled, mustChangePassword, createdAt, lastSignInAt, issuer, hasSecondFactor }: User,
): z.infer<typeof UserAnswer> => ({
  id,
  username,
  role,
  disabled,
  mustChangePassword,
  createdAt,
  lastSignInAt,
  hostAccounts: hostAccounts.of(id),
  issuer,
  secondFactor: hasSecondFactor,
})
