import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { CheckPosition, OptOut, OptOutChecks, OptOuts } from '../../takedown/opt-outs.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { allItems, type Table, tryWrite } from '../table.ts'

export function dynamoOptOuts({ table, now }: { table: Table; now(): Date }): OptOuts & OptOutChecks {
  const { db, name: TableName } = table
  return {
    async add(key, optOut) {
      await db.send(new PutCommand({ TableName, Item: { ...itemKey(key), ...optOut, at: now().toISOString() } }))
    },
    async find(key) {
      const item = await readItem(table, itemKey(key))
      return item && asOptOut(item as OptOut)
    },
    lift: (key) =>
      tryWrite(db.send(new DeleteCommand({ TableName, Key: itemKey(key), ConditionExpression: 'attribute_exists(pk)' }))),
    list: async () => ((await allItems(table, part)) as OptOut[]).map(asOptOut),
    async position() {
      const item = (await readItem(table, positionKey)) as CheckPosition | undefined
      return item && { after: item.after, beganAt: item.beganAt }
    },
    async move({ after, beganAt }) {
      await db.send(new PutCommand({ TableName, Item: { ...positionKey, after, beganAt } }))
    },
  }
}

const part = 'OPTOUTS'
const itemKey = (key: string): ItemKey => ({ pk: part, sk: key })
const positionKey: ItemKey = { pk: 'OPTOUTCHECK', sk: 'POSITION' }

const asOptOut = ({ library, at, by, sourceUrl, teamspace, reason }: OptOut): OptOut => ({
  library,
  at,
  by,
  ...(sourceUrl !== undefined && { sourceUrl }),
  ...(teamspace !== undefined && { teamspace }),
  ...(reason !== undefined && { reason }),
})
