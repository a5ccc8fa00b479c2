import { createHash } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import type { Identity, User, Users } from '../../access/users.ts'
import { type ItemKey, readItem, readItemsOf } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

/** A sign-in that takes longer has died between its writes. */
const signInMs = 60_000

type EmailItem = { user: string; takenAt: string }

/** The item of an address decides who has it. The item of the user repeats it, and each sign-in corrects it. */
export function dynamoUsers({ table, now }: { table: Table; now(): Date }): Users {
  const { db, name: TableName } = table
  const emailOf = async (id: string) => lowered(String((await readItem(table, userKey(id)))?.email ?? ''))

  const take = (address: string, user: string, leftBy: string) =>
    tryWrite(
      db.send(
        new PutCommand({
          TableName,
          Item: { ...emailKey(address), user, takenAt: now().toISOString() },
          ConditionExpression: 'attribute_not_exists(pk) OR #user = :user OR #user = :leftBy',
          ExpressionAttributeNames: { '#user': 'user' },
          ExpressionAttributeValues: { ':user': user, ':leftBy': leftBy },
        }),
      ),
    )

  /** An address that a crash left with a user who has another one, or who was never created, is free. */
  async function takeEmail(address: string, user: string): Promise<void> {
    if (await take(address, user, user)) return
    const { user: holder = '', takenAt = '' } = ((await readItem(table, emailKey(address))) ?? {}) as Partial<EmailItem>
    const isLeft = Date.parse(takenAt) < now().getTime() - signInMs && (await emailOf(holder)) !== address
    if (isLeft && (await take(address, user, holder))) return
    throw new AppError(
      'forbidden',
      'This e-mail address belongs to another account of this service. Sign in with that account, or change its address first.',
    )
  }

  return {
    async signIn({ issuer, sub, email, name }) {
      const id = userId({ issuer, sub })
      const address = lowered(email)
      const before = await emailOf(id)
      await takeEmail(address, id)
      const { Attributes } = await db.send(
        new UpdateCommand({
          TableName,
          Key: userKey(id),
          UpdateExpression:
            'SET id = :id, issuer = :issuer, #sub = :sub, email = :email, #name = :name, createdAt = if_not_exists(createdAt, :now)',
          ExpressionAttributeNames: { '#sub': 'sub', '#name': 'name' },
          ExpressionAttributeValues: {
            ':id': id,
            ':issuer': issuer,
            ':sub': sub,
            ':email': email,
            ':name': name,
            ':now': now().toISOString(),
          },
          ReturnValues: 'ALL_NEW',
        }),
      )
      if (before !== '' && before !== address) await freeEmail(table, before, id)
      return asUser(Attributes as User)
    },

    async remove(id) {
      const address = await emailOf(id)
      // An address that leads to no user is free.
      await db.send(new DeleteCommand({ TableName, Key: userKey(id) }))
      if (address !== '') await freeEmail(table, address, id)
    },

    async get(id) {
      const item = await readItem(table, userKey(id))
      return item && asUser(item as User)
    },

    async getEach(ids) {
      return ((await readItemsOf(table, ids.map(userKey), true)) as User[]).map(asUser)
    },
  }
}

const userId = ({ issuer, sub }: Pick<Identity, 'issuer' | 'sub'>): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, sub]))
    .digest('hex')
    .slice(0, 32)

const lowered = (email: string): string => email.toLowerCase()

const asUser = ({ id, email, name, createdAt }: User): User => ({ id, email, name, createdAt })

/** The partition of a user. */
export const userPart = (id: string): string => `USER#${id}`
const userKey = (id: string): ItemKey => ({ pk: userPart(id), sk: 'USER' })
const emailKey = (address: string): ItemKey => ({ pk: `EMAIL#${address}`, sk: 'USER' })

const freeEmail = ({ db, name }: Table, address: string, user: string) =>
  tryWrite(
    db.send(
      new DeleteCommand({
        TableName: name,
        Key: emailKey(address),
        ConditionExpression: '#user = :user',
        ExpressionAttributeNames: { '#user': 'user' },
        ExpressionAttributeValues: { ':user': user },
      }),
    ),
  )
