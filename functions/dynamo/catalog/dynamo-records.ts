import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../../shared/library.ts'
import { generationsOf } from '../../catalog/catalog-changes.ts'
import { catalogRecord, headOf, type RecordHead, type StoredRecord } from '../../catalog/catalog-record.ts'
import type { Snapshots } from '../../catalog/hosted-catalog.ts'
import { libraryLine } from '../../catalog/pack-libraries.ts'
import { readItem, readItems } from '../read-items.ts'
import { partitionItems, type Table, tryWrite } from '../table.ts'
import { catalogItem, catalogKey, fromCatalogItem, type StoredHead, shards } from './catalog-item.ts'
import type { Details } from './dynamo-details.ts'
import type { Generations } from './dynamo-generations.ts'

/** An edit returns undefined to keep the record, and 'gone' to remove it. */
export type Edit = (record: StoredRecord) => StoredRecord | 'gone' | undefined

/** The items of the catalog. Each write checks the revision, so that concurrent writers lose no change. */
export type Records = {
  find(key: string): Promise<RecordHead | undefined>
  /** The records that exist, in no order. */
  findAll(keys: string[]): Promise<RecordHead[]>
  /** The record with its details. */
  whole(key: string): Promise<StoredRecord | undefined>
  /** The records that exist with their details, in no order. */
  wholes(keys: string[]): Promise<StoredRecord[]>
  /** False if the record exists. */
  make(record: StoredRecord): Promise<boolean>
  /** Retires and returns the generations that are no longer served. Throws library_not_found, library_too_large. */
  change(id: LibraryId, edit: Edit): Promise<string[]>
  /** Deletes the details that crashes have left. */
  tidy(key: string): Promise<void>
  all(): AsyncIterable<RecordHead>
}

type RecordsPorts = {
  table: Table
  generations: Pick<Generations, 'retire'>
  details: Details
  snapshots: Pick<Snapshots, 'change'>
}

const maxTries = 30
const maxPauseMs = 200
const noDetails = ''

export function dynamoRecords({ table, generations, details, snapshots }: RecordsPorts): Records {
  const { db, name: TableName } = table
  const find = async (key: string): Promise<StoredHead | undefined> => {
    const item = await readItem(table, catalogKey(key))
    return item && fromCatalogItem(item)
  }
  const findAll = async (keys: string[]): Promise<StoredHead[]> => {
    const items = await readItems(table, [...new Set(keys)].map(catalogKey), true)
    return Array.from(items.values(), fromCatalogItem)
  }
  /** The head again if its details were replaced between the two reads. */
  const read = async (key: string): Promise<{ head: StoredHead; whole: StoredRecord } | undefined> => {
    for (let tries = 0; tries < maxTries; tries++) {
      const head = await find(key)
      if (!head) return undefined
      const more = head.details === noDetails ? { versions: new Map() } : await details.find(key, head.details)
      if (more) return { head, whole: wholeOf(head, more) }
    }
    throw new Error(`The details of ${key} are missing.`)
  }
  const write = (head: StoredHead, condition: string, revision?: number) =>
    tryWrite(
      db.send(
        new PutCommand({
          TableName,
          Item: catalogItem(head),
          ConditionExpression: condition,
          ...(revision !== undefined && { ExpressionAttributeValues: { ':revision': revision } }),
        }),
      ),
    )
  const remove = (key: string, revision: number) =>
    tryWrite(
      db.send(
        new DeleteCommand({
          TableName,
          Key: catalogKey(key),
          ConditionExpression: 'revision = :revision',
          ExpressionAttributeValues: { ':revision': revision },
        }),
      ),
    )
  /** Details first, then the head that names them, then the details that it named before. */
  const replace = async (before: { head: StoredHead; whole: StoredRecord }, after: StoredRecord | 'gone'): Promise<boolean> => {
    const { key, revision } = before.head
    if (after === 'gone') {
      await snapshots.change(key, revision + 1)
      if (!(await remove(key, revision))) return false
      await details.tidy(key)
      return true
    }
    const next = { ...headOf(after), revision: revision + 1 }
    if (libraryLine(catalogRecord(before.head)) !== libraryLine(catalogRecord(next))) await snapshots.change(key, revision + 1)
    const isSame = detailsText(before.whole) === detailsText(after)
    const named = isSame ? before.head.details : await details.put(after, before.whole)
    // After a failure the new details stay: the write may have succeeded although its response was lost.
    if (!(await write({ ...next, details: named }, 'revision = :revision', revision))) return false
    if (!isSame && before.head.details !== noDetails) await details.remove(key, before.head.details)
    return true
  }
  return {
    find,
    findAll,
    whole: async (key) => (await read(key))?.whole,
    async wholes(keys) {
      const heads = await findAll(keys)
      const more = await details.findAll(heads.filter((head) => head.details !== noDetails))
      const wholes = heads.map(async (head) => {
        const own = head.details === noDetails ? { versions: new Map() } : more.get(head.key)
        return own ? wholeOf(head, own) : (await read(head.key))?.whole
      })
      return (await Promise.all(wholes)).filter((whole) => whole !== undefined)
    },
    async make(record) {
      await snapshots.change(record.key, 1)
      return write({ ...headOf(record), revision: 1, details: noDetails }, 'attribute_not_exists(pk)')
    },
    async change(id, edit) {
      const key = libraryKey(id)
      for (let tries = 0; tries < maxTries; tries++) {
        if (tries > 0) await sleep(Math.random() * Math.min(maxPauseMs, 5 * 2 ** tries))
        const before = await read(key)
        if (!before) throw notFound(id)
        const after = edit(before.whole)
        if (after === undefined) return []
        const kept = new Set(after === 'gone' ? [] : generationsOf(after))
        const replaced = generationsOf(before.whole).filter((generation) => !kept.has(generation))
        await generations.retire(replaced, key)
        if (await replace(before, after)) return replaced
      }
      const name = printLibraryId({ owner: id.owner, repo: id.repo })
      throw new AppError('temporarily_unavailable', `Too many requests change ${name} at the same time. Try again.`, {
        retry: 'limited',
        retryAfterMs: 1_000,
      })
    },
    async tidy(key) {
      const head = await find(key)
      if (!head) return details.tidy(key)
      const rules = new Set([...head.versions.values()].flatMap(({ rulesId }) => rulesId ?? []))
      await details.tidy(key, { details: head.details, rules })
    },
    async *all() {
      for (const shard of shards) for await (const item of partitionItems(table, shard)) yield fromCatalogItem(item)
    },
  }
}

function wholeOf(
  { details: _, served: __, versions: ___, ...head }: StoredHead,
  more: Pick<StoredRecord, 'versions' | 'report'>,
) {
  return { ...head, ...more }
}

const detailsText = ({ versions, report }: StoredRecord): string => JSON.stringify([[...versions.values()], report])

const notFound = ({ owner, repo }: LibraryId): AppError =>
  new AppError('library_not_found', `${printLibraryId({ owner, repo })} does not exist here; it may have been removed.`)
