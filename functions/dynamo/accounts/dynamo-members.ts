import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { mapOrdered } from '../../../shared/time/map-ordered.ts'
import { type Member, type Membership, type Role, roles, type Teamspaces, UserName } from '../../access/teamspaces.ts'
import { type ItemKey, readItems, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { userPart } from './dynamo-users.ts'
import { asTeamspace, isOpen, openTeam, readTeamItem, type TeamItem, teamKey, teamPart } from './team-items.ts'

type Members = Pick<Teamspaces, 'addMember' | 'changeRole' | 'removeMember' | 'members' | 'membership' | 'teamspacesOf'> & {
  /** Adds a teamspace to the list of a user, before anything else of a new member. */
  listTeam(user: string, id: string): Promise<void>
  removeAll(id: string): Promise<void>
}

const concurrentReads = 10

/**
 * The set of owners in the item of the teamspace decides who is one, and the items of its members decide about the others. The list of a user's
 * teamspaces may have some of which the user is no member; it is written before the member and removed after it.
 */
export function dynamoMembers({ table, now }: { table: Table; now(): Date }): Members {
  const { db, name: TableName } = table
  const remove = (Key: ItemKey) => db.send(new DeleteCommand({ TableName, Key }))

  /** False if the teamspace is not open, or the user is its last owner. */
  const changeOwners = (id: string, user: string, isOwner: boolean) => {
    const others = '(attribute_not_exists(owners) OR NOT contains(owners, :user) OR size(owners) > :one)'
    const values = { ':users': new Set([user]) }
    const change = isOwner
      ? { UpdateExpression: 'ADD owners :users', ConditionExpression: isOpen, ExpressionAttributeValues: values }
      : {
          UpdateExpression: 'DELETE owners :users',
          ConditionExpression: `${isOpen} AND ${others}`,
          ExpressionAttributeValues: { ...values, ':user': user, ':one': 1 },
        }
    return tryWrite(db.send(new UpdateCommand({ TableName, Key: teamKey(id), ...change })))
  }

  /** Throws team_not_found, validation_error for the last owner. */
  async function decideOwner(id: string, user: string, isOwner: boolean): Promise<void> {
    if (await changeOwners(id, user, isOwner)) return
    await openTeam(table, id)
    throw new AppError('validation_error', 'This is the last owner of the teamspace. Make another member an owner first.')
  }

  async function read(id: string, user: string): Promise<{ team: TeamItem; role: Role; isListed: boolean } | undefined> {
    const items = await readItems(table, [teamKey(id), memberKey(id, user)], true)
    const team = readTeamItem(items.get('TEAM'))
    const item = items.get(memberKey(id, user).sk) as Member | undefined
    if (team === undefined || team.deletedAt !== undefined || (item === undefined && !team.owners.has(user))) return undefined
    return { team, role: roleOf(user, item?.role ?? 'owner', team.owners), isListed: item !== undefined }
  }

  const membership = async (id: string, user: string): Promise<Membership | undefined> => {
    const found = await read(id, user)
    return found && { teamspace: asTeamspace(found.team), role: found.role }
  }

  const listTeam = async (user: string, id: string) => {
    await db.send(new PutCommand({ TableName, Item: listKey(user, id) }))
  }

  return {
    membership,
    listTeam,

    async addMember(id, name, role) {
      await openTeam(table, id)
      const parsed = UserName.safeParse(name)
      if (!parsed.success) throw new AppError('validation_error', `The name of the member ${parsed.error.issues[0]?.message}.`)
      checkRole(role)
      const user = parsed.data
      await listTeam(user, id)
      await decideOwner(id, user, role === 'owner')
      const Item = { ...memberKey(id, user), user, role, addedAt: now().toISOString() }
      await db.send(new PutCommand({ TableName, Item }))
    },

    async changeRole(id, user, role) {
      checkRole(role)
      const member = await read(id, user)
      if (member === undefined) throw noMember()
      // A crash may have left an owner without an item.
      if (!member.isListed)
        await db.send(new PutCommand({ TableName, Item: { ...memberKey(id, user), user, role, addedAt: now().toISOString() } }))
      await decideOwner(id, user, role === 'owner')
      const change = new UpdateCommand({
        TableName,
        Key: memberKey(id, user),
        UpdateExpression: 'SET #role = :role',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: { ':role': role },
      })
      if (await tryWrite(db.send(change))) return
      // The member was removed meanwhile.
      await changeOwners(id, user, false)
      throw noMember()
    },

    async removeMember(id, user) {
      if ((await read(id, user)) === undefined) throw noMember()
      // Another process may be making the member an owner.
      do {
        await decideOwner(id, user, false)
        await remove(memberKey(id, user))
      } while ((await read(id, user)) !== undefined)
      await remove(listKey(user, id))
    },

    async members(id) {
      const { owners, createdAt } = await openTeam(table, id)
      const items = (await readItemsUnder(table, memberKey(id, ''))) as Member[]
      const listed = items.map(({ user, role, addedAt }) => ({ user, role: roleOf(user, role, owners), addedAt }))
      const missing = [...owners].filter((user) => !items.some((item) => item.user === user))
      return [...listed, ...missing.map((user) => ({ user, role: 'owner' as const, addedAt: createdAt }))]
    },

    async teamspacesOf(user) {
      const ids = (await readItemsUnder(table, listKey(user, ''))).map(({ sk }) => String(sk).slice('TEAM#'.length))
      const memberships: Membership[] = []
      for await (const [, each] of mapOrdered(ids, concurrentReads, (id) => membership(id, user)))
        if (each) memberships.push(each)
      return memberships.sort((a, b) => (a.teamspace.name.toLowerCase() < b.teamspace.name.toLowerCase() ? -1 : 1))
    },

    async removeAll(id) {
      for (const { user, pk, sk } of await readItemsUnder(table, memberKey(id, ''))) {
        await remove(listKey(String(user), id))
        await remove({ pk, sk } as ItemKey)
      }
    },
  }
}

const memberKey = (id: string, user: string): ItemKey => ({ pk: teamPart(id), sk: `MEMBER#${user}` })
const listKey = (user: string, id: string): ItemKey => ({ pk: userPart(user), sk: teamPart(id) })

const noMember = () => new AppError('user_not_found', 'The teamspace has no such member.')

function checkRole(role: Role): void {
  if (!roles.includes(role)) throw new AppError('validation_error', `The role of a member must be one of ${roles.join(', ')}.`)
}

function roleOf(user: string, role: Role, owners: ReadonlySet<string>): Role {
  if (owners.has(user)) return 'owner'
  return role === 'owner' ? 'admin' : role
}
