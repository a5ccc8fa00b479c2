import { createHash, randomBytes } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Invite, Invites } from '../../access/invites.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { openTeam, teamPart } from './team-items.ts'

const inviteMs = 7 * 86_400_000
const idShape = /^[\da-f]{64}$/
/** The id of the teamspace, whose partition has the item, and 32 random bytes. */
const tokenShape = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_[\w-]{43}$/

/** `expiresAt`, in seconds, is when DynamoDB may delete it; `validUntil` decides. */
type InviteItem = Omit<Invite, 'expiresAt'> & { validUntil: string; expiresAt: number; acceptedBy?: string }

export function dynamoInvites({ table, now }: { table: Table; now(): Date }): Invites {
  const { db, name: TableName } = table
  const isEnded = ({ validUntil }: InviteItem) => Date.parse(validUntil) <= now().getTime()
  const itemsOf = async (teamspace: string) => (await readItemsUnder(table, inviteKey(teamspace, ''))) as InviteItem[]

  const remove = (teamspace: string, id: string) =>
    tryWrite(
      db.send(new DeleteCommand({ TableName, Key: inviteKey(teamspace, id), ConditionExpression: 'attribute_exists(pk)' })),
    )

  return {
    async create({ teamspace, email, role, invitedBy }) {
      await openTeam(table, teamspace)
      const token = `${teamspace}_${randomBytes(32).toString('base64url')}`
      const endsAt = new Date(now().getTime() + inviteMs)
      const facts = { id: hashOf(token), teamspace, email, role, invitedBy, createdAt: now().toISOString() }
      const ends = { validUntil: endsAt.toISOString(), expiresAt: Math.ceil(endsAt.getTime() / 1000) }
      for (const { id, email: invited } of await itemsOf(teamspace))
        if (isSameAddress(invited, email)) await remove(teamspace, id)
      await db.send(new PutCommand({ TableName, Item: { ...inviteKey(teamspace, facts.id), ...facts, ...ends } }))
      return { ...facts, expiresAt: ends.validUntil, token }
    },

    async find(token, user) {
      const [, teamspace] = tokenShape.exec(token) ?? []
      if (teamspace === undefined) return undefined
      const item = (await readItem(table, inviteKey(teamspace, hashOf(token)))) as InviteItem | undefined
      if (item === undefined || isEnded(item) || (item.acceptedBy ?? user) !== user) return undefined
      return asInvite(item)
    },

    accept: ({ teamspace, id }, user) =>
      tryWrite(
        db.send(
          new UpdateCommand({
            TableName,
            Key: inviteKey(teamspace, id),
            UpdateExpression: 'SET acceptedBy = :user',
            ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(acceptedBy) OR acceptedBy = :user)',
            ExpressionAttributeValues: { ':user': user },
          }),
        ),
      ),

    async list(teamspace) {
      const invites = (await itemsOf(teamspace)).filter((item) => !isEnded(item)).map(asInvite)
      return invites.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    },

    remove: async (teamspace, id) => idShape.test(id) && remove(teamspace, id),
  }
}

/** Addresses are compared without case. */
const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const inviteKey = (teamspace: string, id: string): ItemKey => ({ pk: teamPart(teamspace), sk: `INVITE#${id}` })

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const asInvite = ({ id, teamspace, email, role, invitedBy, createdAt, validUntil }: InviteItem): Invite => ({
  id,
  teamspace,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt: validUntil,
})
