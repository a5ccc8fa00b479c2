import { randomUUID } from 'node:crypto'
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Audit, AuditEntry } from '../../access/audit.ts'
import { readItemsUnder } from '../read-items.ts'
import type { Table } from '../table.ts'
import { teamPart } from './team-items.ts'

/** The entries of a teamspace are in its partition and remain when it is deleted. */
export function dynamoAudit({ table, now }: { table: Table; now(): Date }): Audit {
  const { db, name: TableName } = table
  return {
    async begin({ teamspace, ...change }) {
      const at = now().toISOString()
      const Key = { pk: partOf(teamspace), sk: `AUDIT#${at}#${randomUUID()}` }
      await db.send(new PutCommand({ TableName, Item: { ...Key, at, ...change, outcome: 'unfinished' } }))
      return async (outcome) => {
        await db.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: 'SET outcome = :outcome',
            ExpressionAttributeValues: { ':outcome': outcome },
          }),
        )
      }
    },

    async list(teamspace) {
      const items = (await readItemsUnder(table, { pk: partOf(teamspace), sk: 'AUDIT#' })) as AuditEntry[]
      return items.map(asEntry)
    },

    async latest(teamspace, max) {
      const query = {
        TableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': partOf(teamspace), ':sk': 'AUDIT#' },
        ScanIndexForward: false,
        Limit: max,
      }
      return ((await db.send(new QueryCommand(query))).Items ?? []).map((item) => asEntry(item as AuditEntry))
    },
  }
}

const asEntry = ({ at, who, what, before, after, outcome }: AuditEntry): AuditEntry => ({
  at,
  who,
  what,
  before,
  after,
  outcome,
})

const partOf = (teamspace: string | undefined): string => (teamspace === undefined ? 'OPERATORS' : teamPart(teamspace))
