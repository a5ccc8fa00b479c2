import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { AppError, invalidField } from '../../shared/errors.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { actorOf, type Caller, type CallerEnv, type Holder, requireRight } from '../access/caller.ts'
import { type KeyOwner, type ListedKey, NewKey, roles } from '../accounts/key-store.ts'
import type { App } from '../app.ts'

const bodyBytes = 16 * 1024

const CreatedKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('First characters of the key, for lists'),
  key: z.string().describe('The key; it is never shown again'),
})
const KeyAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    role: z.enum(roles),
    owner: z.object({ id: z.string(), username: z.string() }).nullable().describe('Null for a key of the install'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Key' })
const KeyList = z.object({ keys: z.array(KeyAnswer), total: z.int() })
const KeyId = z.object({ id: z.string() })
const Message = z.object({ message: z.string() })

export const keyRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/keys', requireRight(app, 'member'), (c) => {
      const keys = visible(app, c.get('caller')).map(toAnswer)
      return c.json({ keys, total: keys.length })
    })
    .post('/keys', requireRight(app, 'member'), jsonBody(bodyBytes), input('json', NewKey), (c) => {
      const caller = c.get('caller')
      const created = app.keys.create(makeNew(app, holderOf(caller), c.req.valid('json')))
      app.audit.record({ actor: actorOf(caller), action: 'key.create', subject: `${created.name} (${created.prefix})` })
      return c.json(created, 201)
    })
    .delete('/keys/:id', requireRight(app, 'member'), (c) => {
      const key = visible(app, c.get('caller')).find(({ id }) => id === c.req.param('id'))
      if (!key || !app.keys.revoke(key.id))
        throw new AppError('not_found', 'There is no key with this id among those you may see.')
      app.audit.record({ actor: actorOf(c.get('caller')), action: 'key.revoke', subject: `${key.name} (${key.prefix})` })
      return c.json({ message: `The key ${key.name} is revoked.` })
    })

export const keyOperations: Operations = {
  '/keys': {
    get: {
      operationId: 'listKeys',
      tags: ['Accounts'],
      summary: 'List your keys',
      description: 'Lists all keys of the install for an admin. Expired keys are listed until they are revoked.',
      security: keyNeeded,
      responses: { 200: json(KeyList, 'Keys, oldest first'), ...errors(401, 403) },
    },
    post: {
      operationId: 'createKey',
      tags: ['Accounts'],
      summary: 'Create a key',
      description:
        'The key has the rights that its user has when the key is used. A key that was created with another key ends with that key at the latest.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: NewKey } } },
      responses: { 201: json(CreatedKey, 'Key created; it is shown only once'), ...errors(400, 401, 403, 413) },
    },
  },
  '/keys/{id}': {
    delete: {
      operationId: 'revokeKey',
      tags: ['Accounts'],
      summary: 'Revoke a key',
      description: 'The key and keys that were created with it stop working immediately.',
      security: keyNeeded,
      requestParams: { path: KeyId },
      responses: { 200: json(Message, 'Key revoked'), ...errors(401, 403, 404) },
    },
  },
}

function makeNew({ keys, now }: App, holder: Holder, { name, expiresAt }: NewKey): Parameters<App['keys']['create']>[0] {
  if (expiresAt !== undefined && expiresAt <= now()) throw invalidField('expiresAt', 'must be in the future')
  const { role, userId } = holder
  if (holder.via === 'session') return { name, expiresAt, role, userId }
  const until = keys.list(ownerOf(holder)).find(({ id }) => id === holder.id)?.expiresAt
  const latest = until ? new Date(until) : undefined
  if (latest && expiresAt && expiresAt > latest)
    throw invalidField('expiresAt', `must not be after ${until}, when the key that creates this one expires`)
  return { name, expiresAt: expiresAt ?? latest, role, userId, madeBy: holder.id }
}

const visible = ({ keys }: App, caller: Caller): ListedKey[] => {
  const holder = holderOf(caller)
  return holder.role === 'admin' ? keys.list() : keys.list(ownerOf(holder))
}

const ownerOf = ({ id, userId }: Holder): KeyOwner => (userId === null ? { keyId: id } : { userId })

const holderOf = ({ holder }: Caller): Holder => holder as Holder

const toAnswer = ({ userId, username, ...key }: ListedKey): z.infer<typeof KeyAnswer> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  role: key.role,
  owner: userId === null || username === null ? null : { id: userId, username },
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt,
  expiresAt: key.expiresAt,
})
