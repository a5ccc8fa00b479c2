import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../../shared/library.ts'
import { generationsOf } from '../../catalog/catalog-changes.ts'
import type { StoredRecord } from '../../catalog/catalog-record.ts'
import { readItem } from '../read-items.ts'
import { partitionItems, type Table, tryWrite } from '../table.ts'
import { catalogItem, catalogKey, fromCatalogItem, shards } from './catalog-item.ts'
import type { Generations } from './dynamo-generations.ts'

/** An edit returns undefined to keep the record, and 'gone' to remove it. */
export type Edit = (record: StoredRecord) => StoredRecord | 'gone' | undefined

/** The items of the catalog. Each write checks the revision, so that concurrent writers lose no change. */
export type Records = {
  find(key: string): Promise<StoredRecord | undefined>
  /** False if the record exists. */
  make(record: StoredRecord): Promise<boolean>
  /** Retires and returns the generations that are no longer served. Throws library_not_found, library_too_large. */
  change(id: LibraryId, edit: Edit): Promise<string[]>
  all(): AsyncIterable<StoredRecord>
}

const maxTries = 30
const maxPauseMs = 200

export function dynamoRecords({ table, generations }: { table: Table; generations: Pick<Generations, 'retire'> }): Records {
  const { db, name: TableName } = table
  const find = async (key: string) => {
    const item = await readItem(table, catalogKey(key))
    return item && fromCatalogItem(item)
  }
  const make = (record: StoredRecord) =>
    tryWrite(
      db.send(
        new PutCommand({
          TableName,
          Item: catalogItem({ ...record, revision: 1 }),
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      ),
    )
  const replace = ({ key, revision }: StoredRecord, after: StoredRecord | 'gone') => {
    const unchanged = { ConditionExpression: 'revision = :revision', ExpressionAttributeValues: { ':revision': revision } }
    if (after === 'gone') return tryWrite(db.send(new DeleteCommand({ TableName, Key: catalogKey(key), ...unchanged })))
    return tryWrite(db.send(new PutCommand({ TableName, Item: catalogItem({ ...after, revision: revision + 1 }), ...unchanged })))
  }
  return {
    find,
    make,
    async change(id, edit) {
      const key = libraryKey(id)
      for (let tries = 0; tries < maxTries; tries++) {
        if (tries > 0) await sleep(Math.random() * Math.min(maxPauseMs, 5 * 2 ** tries))
        const before = await find(key)
        if (!before) throw notFound(id)
        const after = edit(before)
        if (after === undefined) return []
        const kept = new Set(after === 'gone' ? [] : generationsOf(after))
        const replaced = generationsOf(before).filter((generation) => !kept.has(generation))
        await generations.retire(replaced, key)
        if (await replace(before, after)) return replaced
      }
      const name = printLibraryId({ owner: id.owner, repo: id.repo })
      throw new AppError('temporarily_unavailable', `Too many requests change ${name} at the same time. Try again.`, {
        retry: 'limited',
        retryAfterMs: 1_000,
      })
    },
    async *all() {
      for (const shard of shards) for await (const item of partitionItems(table, shard)) yield fromCatalogItem(item)
    },
  }
}

const notFound = ({ owner, repo }: LibraryId): AppError =>
  new AppError('library_not_found', `${printLibraryId({ owner, repo })} does not exist here; it may have been removed.`)
