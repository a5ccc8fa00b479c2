import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { type Member, type Role, roles, type Teamspaces, UserName } from '../../access/teamspaces.ts'
import { readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { isOpen, openTeam, teamKey, teamPart } from './team-items.ts'

type Members = Pick<Teamspaces, 'addMember' | 'members'> & { removeAll(id: string): Promise<void> }

/** The set of owners in the item of the teamspace decides who is one. The items of members are a mirror, corrected when it is read. */
export function dynamoMembers({ table, now }: { table: Table; now(): Date }): Members {
  const { db, name: TableName } = table

  /** False if the teamspace is not open, or the user is its last owner. */
  const changeOwners = (id: string, user: string, role: Role) => {
    const others = '(attribute_not_exists(owners) OR NOT contains(owners, :user) OR size(owners) > :one)'
    const values = { ':users': new Set([user]) }
    const change =
      role === 'owner'
        ? { UpdateExpression: 'ADD owners :users', ConditionExpression: isOpen, ExpressionAttributeValues: values }
        : {
            UpdateExpression: 'DELETE owners :users',
            ConditionExpression: `${isOpen} AND ${others}`,
            ExpressionAttributeValues: { ...values, ':user': user, ':one': 1 },
          }
    return tryWrite(db.send(new UpdateCommand({ TableName, Key: teamKey(id), ...change })))
  }

  return {
    async addMember(id, name, role) {
      await openTeam(table, id)
      const read = UserName.safeParse(name)
      if (!read.success) throw new AppError('validation_error', `The name of the member ${read.error.issues[0]?.message}.`)
      if (!roles.includes(role))
        throw new AppError('validation_error', `The role of a member must be one of ${roles.join(', ')}.`)
      const user = read.data
      if (!(await changeOwners(id, user, role))) {
        await openTeam(table, id)
        throw new AppError('validation_error', `${user} is the last owner. Make another member an owner first.`)
      }
      const Item = { pk: teamPart(id), sk: `MEMBER#${user}`, user, role, addedAt: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item }))
    },

    async members(id) {
      const { owners, createdAt } = await openTeam(table, id)
      const items = (await readItemsUnder(table, { pk: teamPart(id), sk: 'MEMBER#' })) as Member[]
      const listed = items.map(({ user, role, addedAt }) => ({ user, role: roleOf(user, role, owners), addedAt }))
      const missing = [...owners].filter((user) => !items.some((item) => item.user === user))
      return [...listed, ...missing.map((user) => ({ user, role: 'owner' as const, addedAt: createdAt }))]
    },

    async removeAll(id) {
      for (const { pk, sk } of await readItemsUnder(table, { pk: teamPart(id), sk: 'MEMBER#' }))
        await db.send(new DeleteCommand({ TableName, Key: { pk, sk } }))
    },
  }
}

function roleOf(user: string, role: Role, owners: ReadonlySet<string>): Role {
  if (owners.has(user)) return 'owner'
  return role === 'owner' ? 'admin' : role
}
