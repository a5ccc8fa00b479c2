import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { AppError } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { actorOf, type Caller, type CallerEnv, requireRight } from '../access/caller.ts'
import { roles } from '../accounts/key-store.ts'
import { NewPassword } from '../accounts/passwords.ts'
import { type User, Username } from '../accounts/user.ts'
import type { App } from '../app.ts'

const bodyBytes = 16 * 1024

const NewUser = z.object({ username: Username, password: NewPassword, role: z.enum(roles) })
const UserChange = z.object({
  username: Username.optional(),
  password: NewPassword.optional(),
  role: z.enum(roles).optional(),
  disabled: z.boolean().optional().describe('A disabled user has no access; keys and content are kept'),
})
const UserId = z.object({ id: z.string() })

const UserAnswer = z
  .object({
    id: z.string(),
    username: z.string(),
    role: z.enum(roles),
    disabled: z.boolean(),
    createdAt: z.iso.datetime(),
    lastSignInAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'User' })
const UserList = z.object({ users: z.array(UserAnswer), total: z.int() })
const Message = z.object({ message: z.string() })

export const userRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/users', requireRight(app, 'admin'), (c) => {
      const users = app.users.list().map(toAnswer)
      return c.json({ users, total: users.length })
    })
    .post('/users', requireRight(app, 'admin'), jsonBody(bodyBytes), input('json', NewUser), async (c) => {
      const { username, password, role } = c.req.valid('json')
      const id = app.users.create({ username, role, hash: await app.passwords.hash(password) })
      record(app, c.get('caller'), 'user.create', username)
      return c.json({ id }, 201)
    })
    .patch('/users/:id', requireRight(app, 'admin'), jsonBody(bodyBytes), input('json', UserChange), async (c) => {
      const { password, ...changes } = c.req.valid('json')
      const { id, username } = find(app, c.req.param('id'))
      if (changes.disabled === true) refuseSelf(c.get('caller'), id, 'disable')
      const hash = password === undefined ? undefined : await app.passwords.hash(password)
      app.users.change(id, { ...changes, hash })
      const changed = Object.entries({ ...changes, password }).filter(([, value]) => value !== undefined)
      for (const [name] of changed) record(app, c.get('caller'), `user.${name}`, username)
      return c.json(toAnswer(find(app, id)))
    })
    .delete('/users/:id', requireRight(app, 'admin'), (c) => {
      const { id, username } = find(app, c.req.param('id'))
      refuseSelf(c.get('caller'), id, 'delete')
      app.users.remove(id)
      record(app, c.get('caller'), 'user.delete', username)
      return c.json({ message: `${username} is deleted, with all sessions and keys.` })
    })

export const userOperations: Operations = {
  '/users': {
    get: {
      operationId: 'listUsers',
      tags: ['Accounts'],
      summary: 'List users of this install',
      description: 'Lists all users, including disabled ones, oldest first.',
      security: keyNeeded,
      responses: { 200: json(UserList, 'Users'), ...errors(401, 403) },
    },
    post: {
      operationId: 'createUser',
      tags: ['Accounts'],
      summary: 'Create a user',
      description: 'The user can sign in immediately. A member can parse, import and search; an admin can do everything.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: NewUser } } },
      responses: { 201: json(UserId, 'User created'), ...errors(400, 401, 403, 413, 429) },
    },
  },
  '/users/{id}': {
    patch: {
      operationId: 'changeUser',
      tags: ['Accounts'],
      summary: 'Change a user',
      description:
        'A new role applies from the next request on, also to keys. A new password or disabling the user ends all sessions. The last admin cannot be demoted or disabled.',
      security: keyNeeded,
      requestParams: { path: UserId },
      requestBody: { required: true, content: { 'application/json': { schema: UserChange } } },
      responses: { 200: json(UserAnswer, 'User after the change'), ...errors(400, 401, 403, 404, 413, 429) },
    },
    delete: {
      operationId: 'deleteUser',
      tags: ['Accounts'],
      summary: 'Delete a user',
      description: 'Deletes the user with all sessions and keys. You cannot delete yourself or the last admin.',
      security: keyNeeded,
      requestParams: { path: UserId },
      responses: { 200: json(Message, 'User deleted'), ...errors(401, 403, 404) },
    },
  },
}

function find({ users }: Pick<App, 'users'>, id: string): User {
  const user = users.find(id)
  if (!user) throw new AppError('user_not_found', 'There is no user with this id.')
  return user
}

function refuseSelf({ holder }: Caller, id: string, what: 'delete' | 'disable'): void {
  if (holder?.userId === id) throw new AppError('forbidden', `Nobody can ${what} themselves; ask another admin.`)
}

const record = ({ audit }: App, caller: Caller, action: string, subject: string) =>
  audit.record({ actor: actorOf(caller), action, subject })

const toAnswer = ({ id, username, role, disabled, createdAt, lastSignInAt }: User): z.infer<typeof UserAnswer> => ({
  id,
  username,
  role,
  disabled,
  createdAt,
  lastSignInAt,
})
