import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import pLimit from 'p-limit'
import { type CatalogVersion, rulesId, type StoredRecord } from '../../catalog/catalog-record.ts'
import { checkFormat, itemFormat } from '../../catalog/item-format.ts'
import { type ItemKey, readItem } from '../read-items.ts'
import { partitionItems, type Table } from '../table.ts'
import { pack, tooLarge, unpack } from './catalog-item.ts'

type DetailedRecord = Pick<StoredRecord, 'key' | 'id' | 'versions' | 'report'>

/** The parts of a record that questions do not need: everything about its versions, and the last report. Never changed, only replaced. */
export type Details = {
  /** Stores details under a new id, and the rules of their versions. `before` has rules that are stored already. */
  put(record: DetailedRecord, before: Pick<StoredRecord, 'versions'>): Promise<string>
  /** Undefined if they were replaced. */
  find(key: string, id: string): Promise<Pick<StoredRecord, 'versions' | 'report'> | undefined>
  rules(key: string, id: string): Promise<string[]>
  remove(key: string, id: string): Promise<void>
  /** Deletes what a crash has left. `kept` has the ids that the record names; without it, everything of the library is deleted. */
  tidy(key: string, kept?: { details: string; rules: ReadonlySet<string> }): Promise<void>
}

/** A version whose rules are in an item of their own. */
type DetailedVersion = Omit<CatalogVersion, 'rules'> & { rulesId?: string }

/** A younger item may belong to a write that has not ended. */
const leftOverMs = 600_000
const readsAtOnce = 16
const detailsPrefix = 'VERSIONS#'
const rulesPrefix = 'RULES#'

export function dynamoDetails({ table, now }: { table: Table; now(): Date }): Details {
  const { db, name: TableName } = table
  const put = (key: ItemKey, content: Uint8Array) =>
    db.send(new PutCommand({ TableName, Item: { ...key, content, at: now().toISOString(), format: itemFormat } }))
  const rules = async (key: string, id: string): Promise<string[]> => {
    const item = await readItem(table, at(key, rulesPrefix + id))
    if (item) checkFormat(item.format, key)
    return item ? unpack<string[]>(item.content) : []
  }
  return {
    rules,
    async put({ key, id, versions, report }, before) {
      const stored = rulesOf(before)
      for (const [each, lines] of rulesOf({ versions }))
        if (!stored.has(each))
          await put(
            at(key, rulesPrefix + each),
            pack(lines, () => tooLarge(id, versions.size)),
          )
      const details = randomUUID()
      const content = pack({ versions: Array.from(versions.values(), withoutRules), report }, () => tooLarge(id, versions.size))
      await put(at(key, detailsPrefix + details), content)
      return details
    },
    async find(key, id) {
      const item = await readItem(table, at(key, detailsPrefix + id))
      if (!item) return undefined
      checkFormat(item.format, key)
      const { versions, report } = unpack<{ versions: DetailedVersion[]; report?: StoredRecord['report'] }>(item.content)
      const ids = new Set(versions.flatMap(({ rulesId }) => rulesId ?? []))
      const lines = new Map(await pLimit(readsAtOnce).map(ids, async (each) => [each, await rules(key, each)] as const))
      const whole = versions.map(({ rulesId: each, ...version }) => ({ ...version, rules: lines.get(each ?? '') ?? [] }))
      return { versions: new Map(whole.map((each) => [each.version, each])), ...(report && { report }) }
    },
    async remove(key, id) {
      await db.send(new DeleteCommand({ TableName, Key: at(key, detailsPrefix + id) }))
    },
    async tidy(key, kept) {
      const before = new Date(now().getTime() - leftOverMs).toISOString()
      const named = new Set([`${detailsPrefix}${kept?.details}`, ...Array.from(kept?.rules ?? [], (each) => rulesPrefix + each)])
      for await (const { pk, sk, at: written } of partitionItems(table, partition(key))) {
        const isLeft = kept === undefined || (!named.has(String(sk)) && String(written) < before)
        if (isLeft) await db.send(new DeleteCommand({ TableName, Key: { pk, sk } }))
      }
    },
  }
}

const partition = (key: string) => `DETAILS#${key}`
const at = (key: string, sk: string): ItemKey => ({ pk: partition(key), sk })

const rulesOf = ({ versions }: Pick<StoredRecord, 'versions'>): Map<string, string[]> =>
  new Map(Array.from(versions.values(), ({ rules }) => [rulesId(rules), rules] as const).filter(([, rules]) => rules.length > 0))

const withoutRules = ({ rules, ...version }: CatalogVersion): DetailedVersion => ({
  ...version,
  ...(rules.length > 0 && { rulesId: rulesId(rules) }),
})
