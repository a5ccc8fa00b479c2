import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import pLimit from 'p-limit'
import { allItems, type Table, tryWrite } from '../table.ts'

/** A generation that a job is writing, or that was replaced. A generation that is only served is not listed. */
export type ListedGeneration = { name: string; key: string; job?: string; retiredAt?: string }

/** The list of generations that the sweep may delete. */
export type Generations = {
  reserve(name: string, key: string, job: string): Promise<void>
  /** Called before the library switches to another generation, so that a crash between the two leaves nothing unlisted. */
  retire(names: string[], key: string): Promise<void>
  /** Called after the library has switched to the generation. */
  settle(name: string): Promise<void>
  list(): Promise<ListedGeneration[]>
  forget(name: string): Promise<void>
}

const pk = 'GENERATIONS'
const writesAtOnce = 16

export function dynamoGenerations({ table: { db, name: TableName }, now }: { table: Table; now(): Date }): Generations {
  const put = (Item: ListedGeneration) => db.send(new PutCommand({ TableName, Item: { pk, sk: Item.name, ...Item } }))
  return {
    async reserve(name, key, job) {
      await put({ name, key, job })
    },
    async retire(names, key) {
      const retiredAt = now().toISOString()
      await pLimit(writesAtOnce).map(names, (name) => put({ name, key, retiredAt }))
    },
    async settle(sk) {
      // It may have been replaced already.
      const ConditionExpression = 'attribute_not_exists(retiredAt)'
      await tryWrite(db.send(new DeleteCommand({ TableName, Key: { pk, sk }, ConditionExpression })))
    },
    async list() {
      const items = await allItems({ db, name: TableName }, pk)
      return items.map(({ name, key, job, retiredAt }) => ({ name, key, job, retiredAt }) as ListedGeneration)
    },
    async forget(sk) {
      await db.send(new DeleteCommand({ TableName, Key: { pk, sk } }))
    },
  }
}
