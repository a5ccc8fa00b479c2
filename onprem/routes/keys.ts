import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type ListedKey, NewKey, roles, scopes } from '../accounts/key-store.ts'
import { createKey, type ManageKeysPorts, revokeKey, visibleKeys } from '../actions/manage-keys.ts'

const maxBodyBytes = 16 * 1024

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
    scope: z.enum(scopes).nullable().describe('Null: all rights of the role'),
    libraries: z.array(z.string()).nullable().describe('The only libraries that exist for it; null for all'),
    addresses: z.array(z.string()).nullable().describe('The addresses from which it can be used; null for all'),
    owner: z.object({ id: z.string(), username: z.string() }).nullable().describe('Null for a key of the install'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Key' })
const KeyList = z.object({ keys: z.array(KeyAnswer), total: z.int() })
const KeyId = z.object({ id: z.string() })
const Message = z.object({ message: z.string() })

type KeyRoutesPorts = RightPorts & ManageKeysPorts

export const keyRoutes = (ports: KeyRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/keys',
      describeRoute({
        operationId: 'listKeys',
        tags: ['Accounts'],
        summary: 'List your keys',
        description: 'Lists all keys of the install for an admin. Expired keys are listed until they are revoked.',
        responses: { 200: json(KeyList, 'Keys, oldest first') },
      }),
      requireRight(ports, 'change'),
      (c) => {
        const keys = visibleKeys(ports, c.get('caller')).map(keyAnswer)
        return c.json({ keys, total: keys.length })
      },
    )
    .post(
      '/keys',
      describeRoute({
        operationId: 'createKey',
        tags: ['Accounts'],
        summary: 'Create a key',
        description:
          'The key has the rights that its user has when the key is used, or those that its scope leaves. A key that was created with another key ends with that key at the latest.',
        responses: { 201: json(CreatedKey, 'Key created; it is shown only once') },
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', NewKey),
      (c) => c.json(createKey(ports, c.get('caller'), c.req.valid('json')), 201),
    )
    .delete(
      '/keys/:id',
      describeRoute({
        operationId: 'revokeKey',
        tags: ['Accounts'],
        summary: 'Revoke a key',
        description: 'The key and keys that were created with it stop working immediately.',
        responses: { 200: json(Message, 'Key revoked') },
        errors: [404],
      }),
      requireRight(ports, 'change'),
      input('param', KeyId),
      (c) => {
        const { name } = revokeKey(ports, c.get('caller'), c.req.valid('param').id)
        return c.json({ message: `The key ${name} is revoked.` })
      },
    )

const keyAnswer = ({ userId, username, ...key }: ListedKey): z.infer<typeof KeyAnswer> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  role: key.role,
  scope: key.scope,
  libraries: key.libraries,
  addresses: key.addresses,
  owner: userId === null || username === null ? null : { id: userId, username },
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt,
  expiresAt: key.expiresAt,
})
