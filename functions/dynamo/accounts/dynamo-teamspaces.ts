import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type Teamspace, TeamspaceName, type Teamspaces } from '../../access/teamspaces.ts'
import { readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { dynamoKeys } from './dynamo-keys.ts'
import { dynamoMembers } from './dynamo-members.ts'
import { asTeamspace, isOpen, noTeam, openTeam, type TeamItem, teamItem, teamKey, teamPart } from './team-items.ts'
import { lowered, readTeamName, teamNames } from './team-names.ts'

/** Exports, invitations, selections of libraries, tokens of git hosts and of Confluence. */
const forgottenPrefixes = ['BUNDLE#', 'CONFLUENCE', 'INVITE#', 'SELECTION#', 'TOKEN#']

/**
 * The items of a teamspace share the partition of its id. Its names and keys have items that they are found by. One conditional write
 * decides each change; a crash before or after it leaves nothing that anybody can use.
 */
export function dynamoTeamspaces({ table, now }: { table: Table; now(): Date }): Teamspaces {
  const { db, name: TableName } = table
  const names = teamNames(table)
  const members = dynamoMembers({ table, now })
  const keys = dynamoKeys({ table, now, membership: members.membership })
  const time = () => now().toISOString()
  const remove = (id: string) => db.send(new DeleteCommand({ TableName, Key: teamKey(id) }))
  const owns = (id: string, libraryKey: string) => ({ pk: teamPart(id), sk: `OWNS#${libraryKey}` })

  return {
    async create(name, plan, first) {
      const { id, owner } = first ?? { id: randomUUID() }
      const team: Teamspace = { id, name: readTeamName(name), plan, createdAt: time() }
      const lowerName = lowered(team.name)
      if (owner !== undefined) await members.listTeam(owner, id)
      // Nobody can use the item until the name is taken.
      const item = {
        ...team,
        lowerName,
        heldNames: new Set([lowerName]),
        ...(owner !== undefined && { owners: new Set([owner]) }),
      }
      await db.send(new PutCommand({ TableName, Item: { ...teamKey(id), ...item } }))
      try {
        await names.take(team.name, team.id)
      } catch (error) {
        await remove(team.id)
        throw error
      }
      if (owner !== undefined) await members.addMember(id, owner, 'owner')
      return team
    },

    async find(name) {
      const parsed = TeamspaceName.safeParse(name)
      const team = parsed.success ? await names.find(lowered(parsed.data)) : undefined
      return team && asTeamspace(team)
    },

    async get(id) {
      const team = await teamItem(table, id)
      return team === undefined || team.deletedAt !== undefined ? undefined : asTeamspace(team)
    },

    async list() {
      const filter = { FilterExpression: 'sk = :sk', ExpressionAttributeValues: { ':sk': 'TEAM' } }
      const teams = new Map<string, TeamItem>()
      const named = new Set<string>()
      for await (const { Items = [] } of paginateScan({ client: db }, { TableName, ConsistentRead: true, ...filter })) {
        for (const item of Items) {
          if (item.id === undefined) named.add(String(item.team))
          else teams.set(String(item.id), item as TeamItem)
        }
      }
      // An item without a name was left by a crash.
      const listed = [...teams.values()].filter(({ id }) => named.has(id)).map(asTeamspace)
      return listed.sort((a, b) => (lowered(a.name) < lowered(b.name) ? -1 : 1))
    },

    rename: async (id, name) => names.rename(id, readTeamName(name)),

    async setPlan(id, plan) {
      const change = new UpdateCommand({
        TableName,
        Key: teamKey(id),
        UpdateExpression: 'SET #plan = :plan',
        ConditionExpression: isOpen,
        ExpressionAttributeNames: { '#plan': 'plan' },
        ExpressionAttributeValues: { ':plan': plan },
      })
      if (!(await tryWrite(db.send(change)))) throw noTeam(id)
    },

    async close(id) {
      const close = new UpdateCommand({
        TableName,
        Key: teamKey(id),
        UpdateExpression: 'SET deletedAt = :now',
        ConditionExpression: isOpen,
        ExpressionAttributeValues: { ':now': time() },
      })
      if (!(await tryWrite(db.send(close))) && (await teamItem(table, id)) === undefined) throw noTeam(id)
      await keys.removeAll(id)
    },

    async forget(id) {
      const team = await teamItem(table, id)
      if (team === undefined) return
      if (team.deletedAt === undefined) throw new Error('A teamspace must be closed before it is forgotten.')
      // Another process may have begun a key before the teamspace was closed.
      await keys.removeAll(id)
      await members.removeAll(id)
      for (const sk of forgottenPrefixes)
        for (const item of await readItemsUnder(table, { pk: teamPart(id), sk }))
          await db.send(new DeleteCommand({ TableName, Key: { pk: item.pk, sk: item.sk } }))
      await remove(id)
      await names.freeAll(team)
    },

    addMember: members.addMember,
    changeRole: members.changeRole,
    removeMember: members.removeMember,
    members: members.members,
    membership: members.membership,
    teamspacesOf: members.teamspacesOf,
    createKey: keys.createKey,
    findKey: keys.findKey,
    teamspaceOfKey: keys.teamspaceOfKey,
    revokeKey: keys.revokeKey,
    listKeys: keys.listKeys,

    async own(id, library, how) {
      await openTeam(table, id)
      await db.send(new PutCommand({ TableName, Item: { ...owns(id, library), library, how, since: time() } }))
    },

    async ownership(id, library) {
      return (await readItem(table, owns(id, library)))?.how as Awaited<ReturnType<Teamspaces['ownership']>>
    },

    async disown(id, library) {
      await db.send(new DeleteCommand({ TableName, Key: owns(id, library) }))
    },

    async owned(id) {
      return (await readItemsUnder(table, { pk: teamPart(id), sk: 'OWNS#' })).map(({ library }) => String(library))
    },
  }
}
