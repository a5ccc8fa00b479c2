import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import { type Member, roles, type Teamspace, TeamspaceName, type Teamspaces, UserName } from '../../access/teamspaces.ts'
import { readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { dynamoKeys, team } from './dynamo-keys.ts'

type DynamoTeamspacesPorts = { table: Table; now(): Date }

/** The items of a teamspace share one partition. Keys have a second item, which requests find them by. */
export function dynamoTeamspaces({ table, now }: DynamoTeamspacesPorts): Teamspaces {
  const { db, name: TableName } = table
  const put = (Item: Record<string, unknown>) => db.send(new PutCommand({ TableName, Item }))
  const time = () => now().toISOString()

  async function find(name: string): Promise<Teamspace | undefined> {
    const parsed = TeamspaceName.safeParse(name)
    const item = parsed.success ? await readItem(table, { pk: team(parsed.data), sk: 'TEAM' }) : undefined
    return item && ({ name: item.name, plan: item.plan, createdAt: item.createdAt } as Teamspace)
  }

  async function existing(name: string): Promise<Teamspace> {
    const teamspace = await find(name)
    if (teamspace === undefined) throw new AppError('team_not_found', `There is no teamspace "${excerpt(name)}".`)
    return teamspace
  }

  /** The partition of an existing teamspace. */
  const partOf = async (name: string) => team((await existing(name)).name)

  return {
    async create(name, plan) {
      const read = TeamspaceName.safeParse(name)
      if (!read.success) throw new AppError('validation_error', `The name of the teamspace ${read.error.issues[0]?.message}.`)
      const teamspace = { name: read.data, plan, createdAt: time() }
      const Item = { pk: team(read.data), sk: 'TEAM', ...teamspace }
      const isNew = await tryWrite(db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })))
      if (isNew) return teamspace
      throw new AppError('validation_error', `There is already a teamspace "${read.data}". Choose another name.`)
    },

    find,

    async addMember(teamspace, user, role) {
      const pk = await partOf(teamspace)
      const read = UserName.safeParse(user)
      if (!read.success) throw new AppError('validation_error', `The name of the member ${read.error.issues[0]?.message}.`)
      if (!roles.includes(role))
        throw new AppError('validation_error', `The role of a member must be one of ${roles.join(', ')}.`)
      await put({ pk, sk: `MEMBER#${read.data}`, user: read.data, role, addedAt: time() })
    },

    async members(teamspace) {
      const items = await readItemsUnder(table, { pk: await partOf(teamspace), sk: 'MEMBER#' })
      return items.map(({ user, role, addedAt }) => ({ user, role, addedAt }) as Member)
    },

    ...dynamoKeys({ table, now, existing }),

    async own(teamspace, libraryKey) {
      await put({ pk: await partOf(teamspace), sk: `OWNS#${libraryKey}`, library: libraryKey, since: time() })
    },

    async disown(teamspace, libraryKey) {
      const Key = { pk: await partOf(teamspace), sk: `OWNS#${libraryKey}` }
      await db.send(new DeleteCommand({ TableName, Key }))
    },

    async owned(teamspace) {
      const items = await readItemsUnder(table, { pk: await partOf(teamspace), sk: 'OWNS#' })
      return items.map(({ library }) => String(library))
    },
  }
}
