import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { TeamspaceName } from '../../access/teamspaces.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'
import { isOpen, noTeam, type TeamItem, teamItem, teamKey } from './team-items.ts'

const nameKey = (lower: string): ItemKey => ({ pk: `TEAMNAME#${lower}`, sk: 'TEAM' })

/** The form in which names are compared. */
export const lowered = (name: string): string => name.toLowerCase()

/** Throws validation_error. */
export function readTeamName(name: string): string {
  const read = TeamspaceName.safeParse(name)
  if (read.success) return read.data
  throw new AppError('validation_error', `The name of the teamspace ${read.error.issues[0]?.message}.`)
}

/**
 * The names of teamspaces. A name leads to a teamspace only if the teamspace lists it. A teamspace lists a name before it takes it, and
 * drops it from the list before it frees it, so that a name that a crash left behind is free. Each taking has an id, so that a name is only
 * freed as it was when it was dropped: the teamspace may have taken it again since.
 */
export function teamNames(table: Table) {
  const { db, name: TableName } = table
  const put = (lower: string, id: string, condition: string, values: Record<string, unknown>) =>
    tryWrite(
      db.send(
        new PutCommand({
          TableName,
          Item: { ...nameKey(lower), team: id, taken: randomUUID() },
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
        }),
      ),
    )
  const update = (id: string, UpdateExpression: string, ConditionExpression: string, values: Record<string, unknown>) =>
    tryWrite(
      db.send(
        new UpdateCommand({
          TableName,
          Key: teamKey(id),
          UpdateExpression,
          ConditionExpression,
          ExpressionAttributeValues: values,
          ...(UpdateExpression.includes('#name') && { ExpressionAttributeNames: { '#name': 'name' } }),
        }),
      ),
    )

  async function find(lower: string): Promise<TeamItem | undefined> {
    const item = await readItem(table, nameKey(lower))
    const team = item && (await teamItem(table, String(item.team)))
    return team?.heldNames.has(lower) ? team : undefined
  }

  /** Throws validation_error if another teamspace has the name. */
  async function take(name: string, id: string): Promise<void> {
    const lower = lowered(name)
    if (await put(lower, id, 'attribute_not_exists(pk) OR team = :team', { ':team': id })) return
    const leftBy = String((await readItem(table, nameKey(lower)))?.team)
    const isFree = (await find(lower)) === undefined
    if (isFree && (await put(lower, id, 'attribute_not_exists(pk) OR team = :leftBy', { ':leftBy': leftBy }))) return
    throw new AppError('validation_error', `There is already a teamspace "${name}". Choose another name.`)
  }

  const taking = async (lower: string) => (await readItem(table, nameKey(lower)))?.taken ?? ''

  const free = (lower: string, id: string, taken: unknown) =>
    tryWrite(
      db.send(
        new DeleteCommand({
          TableName,
          Key: nameKey(lower),
          ConditionExpression: 'team = :team AND taken = :taken',
          ExpressionAttributeValues: { ':team': id, ':taken': taken },
        }),
      ),
    )

  /** Drops the listed names that are not the teamspace's own. */
  async function dropOthers(id: string): Promise<void> {
    const team = await teamItem(table, id)
    for (const lower of [...(team?.heldNames ?? [])].filter((name) => name !== team?.lowerName)) {
      const taken = await taking(lower)
      const values = { ':names': new Set([lower]), ':lower': lower }
      if (await update(id, 'DELETE heldNames :names', 'lowerName <> :lower', values)) await free(lower, id, taken)
    }
  }

  return {
    find,
    take,
    /** For a teamspace that is gone, so that nothing takes the name for it any more. */
    freeAll: async (team: Pick<TeamItem, 'id' | 'heldNames'>) => {
      for (const lower of team.heldNames) await free(lower, team.id, await taking(lower))
    },
    async rename(id: string, name: string): Promise<void> {
      const lower = lowered(name)
      if (!(await update(id, 'ADD heldNames :names', isOpen, { ':names': new Set([lower]) }))) throw noTeam(id)
      try {
        await take(name, id)
        const values = { ':name': name, ':lower': lower }
        const isRenamed = await update(
          id,
          'SET #name = :name, lowerName = :lower',
          `${isOpen} AND contains(heldNames, :lower)`,
          values,
        )
        if (!isRenamed) throw noTeam(id)
      } finally {
        await dropOthers(id)
      }
    },
  }
}
