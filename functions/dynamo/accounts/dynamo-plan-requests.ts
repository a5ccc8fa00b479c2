import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { PlanRequest, PlanRequests } from '../../access/plan-requests.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { allItems, type Table } from '../table.ts'

const keptMs = 90 * 86_400_000

export function dynamoPlanRequests({ table, now }: { table: Table; now(): Date }): PlanRequests {
  const { db, name: TableName } = table
  return {
    async put(team, request) {
      const stored = { ...request, at: now().toISOString() }
      const expiresAt = Math.ceil((now().getTime() + keptMs) / 1000)
      await db.send(new PutCommand({ TableName, Item: { ...keyOf(team), ...stored, expiresAt } }))
      return stored
    },
    async find(team) {
      const item = await readItem(table, keyOf(team))
      return item && asRequest(item as PlanRequest)
    },
    list: async () => (await allItems(table, part)).map((item) => ({ team: String(item.sk), ...asRequest(item as PlanRequest) })),
    async remove(team) {
      await db.send(new DeleteCommand({ TableName, Key: keyOf(team) }))
    },
  }
}

const part = 'PLANREQUESTS'
const keyOf = (team: string): ItemKey => ({ pk: part, sk: team })

const asRequest = ({ plan, message, contact, by, at }: PlanRequest): PlanRequest => ({ plan, message, contact, by, at })
