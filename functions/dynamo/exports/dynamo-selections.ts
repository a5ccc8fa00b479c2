import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Selection, Selections } from '../../exports/selections.ts'
import { openTeam, teamPart } from '../accounts/team-items.ts'
import { type ItemKey, readItem, readItemsUnder } from '../read-items.ts'
import { type Table, tryWrite } from '../table.ts'

export function dynamoSelections({ table, now }: { table: Table; now(): Date }): Selections {
  const { db, name: TableName } = table
  return {
    async list(team) {
      return (await readItemsUnder(table, { pk: teamPart(team), sk: prefix })).map(asSelection)
    },

    async find(team, id) {
      const item = await readItem(table, keyOf(team, id))
      return item && asSelection(item)
    },

    async save(team, { id, name, libraries }) {
      await openTeam(table, team)
      await db.send(
        new UpdateCommand({
          TableName,
          Key: keyOf(team, id),
          UpdateExpression: 'SET #name = :name, libraries = :libraries, updatedAt = :now',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: { ':name': name, ':libraries': libraries, ':now': now().toISOString() },
        }),
      )
    },

    async noteBuilt(team, id, built) {
      const note = new UpdateCommand({
        TableName,
        Key: keyOf(team, id),
        UpdateExpression: 'SET built = :built',
        ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(built) OR built.#at < :at)',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':built': built, ':at': built.at },
      })
      await tryWrite(db.send(note))
    },

    async remove(team, id) {
      const removed = await db.send(new DeleteCommand({ TableName, Key: keyOf(team, id), ReturnValues: 'ALL_OLD' }))
      return removed.Attributes !== undefined
    },
  }
}

const prefix = 'SELECTION#'
const keyOf = (team: string, id: string): ItemKey => ({ pk: teamPart(team), sk: `${prefix}${id}` })

const asSelection = ({ pk: _, sk, ...rest }: Record<string, unknown>): Selection =>
  ({ ...rest, id: String(sk).slice(prefix.length) }) as Selection
