import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
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

    async save(team, { id, name, libraries }, check) {
      await openTeam(table, team)
      for (let tries = 0; tries < maxTries; tries++) {
        const item = await readItem(table, keyOf(team, id))
        check?.(item && asSelection(item))
        const revision = Number(item?.revision ?? 0)
        const update = new UpdateCommand({
          TableName,
          Key: keyOf(team, id),
          UpdateExpression: 'SET #name = :name, libraries = :libraries, updatedAt = :now, revision = :next',
          ConditionExpression: item ? 'revision = :read' : 'attribute_not_exists(pk)',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: {
            ':name': name,
            ':libraries': libraries,
            ':now': now().toISOString(),
            ':next': revision + 1,
            ...(item && { ':read': revision }),
          },
        })
        if (await tryWrite(db.send(update))) return
      }
      throw new AppError('temporarily_unavailable', 'Too many requests change the selection at the same time. Try again.', {
        retry: 'limited',
        retryAfterMs: 1_000,
      })
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

const maxTries = 10
const prefix = 'SELECTION#'
const keyOf = (team: string, id: string): ItemKey => ({ pk: teamPart(team), sk: `${prefix}${id}` })

const asSelection = ({ pk: _, sk, revision: __, ...rest }: Record<string, unknown>): Selection =>
  ({ ...rest, id: String(sk).slice(prefix.length) }) as Selection
