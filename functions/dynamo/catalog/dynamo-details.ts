import { randomUUID } from 'node:crypto'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import pLimit from 'p-limit'
import { type CatalogVersion, rulesId, type StoredRecord } from '../../catalog/catalog-record.ts'
import { checkFormat, itemFormat } from '../../catalog/item-format.ts'
import { type ItemKey, readItem, readItems } from '../read-items.ts'
import { partitionItems, type Table } from '../table.ts'
import { pack, tooLarge, unpack } from './catalog-item.ts'

type DetailedRecord = Pick<StoredRecord, 'key' | 'id' | 'versions' | 'report'>

type FoundDetails = Pick<StoredRecord, 'versions' | 'report'>

/** The parts of a record that questions do not need: everything about its versions, and the last report. Never changed, only replaced. */
export type Details = {
  /** Stores details under a new id, and the rules of their versions. `before` has rules that are stored already. */
  put(record: DetailedRecord, before: Pick<StoredRecord, 'versions'>): Promise<string>
  /** Undefined if they were replaced. */
  find(key: string, id: string): Promise<FoundDetails | undefined>
  /** The details of several libraries, by key. Those that were replaced are left out. */
  findAll(heads: { key: string; details: string }[]): Promise<Map<string, FoundDetails>>
  rules(key: string, id: string): Promise<string[]>
  remove(key: string, id: string): Promise<void>
  /** Deletes what a crash has left. `kept` has the ids that the record names; without it, everything of the library is deleted. */
  tidy(key: string, kept?: { details: string; rules: ReadonlySet<string> }): Promise<void>
}

/** A version whose rules are in an item of their own. */
type DetailedVersion = Omit<CatalogVersion, 'rules'> & { rulesId?: string }

type StoredDetails = { versions: DetailedVersion[]; report?: StoredRecord['report'] }

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
    return item ? rulesIn(item) : []
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
      const stored = storedDetails(item, key)
      const lines = new Map(
        await pLimit(readsAtOnce).map(rulesIds(stored), async (each) => [each, await rules(key, each)] as const),
      )
      return withRules(stored, (each) => lines.get(each))
    },
    async findAll(heads) {
      const items = await readItems(
        table,
        heads.map(({ key, details }) => at(key, detailsPrefix + details)),
        true,
      )
      const found = heads.flatMap(({ key, details }) => {
        const item = items.get(detailsPrefix + details)
        return item ? [{ key, stored: storedDetails(item, key) }] : []
      })
      const ruleKeys = found.flatMap(({ key, stored }) => Array.from(rulesIds(stored), (each) => at(key, rulesPrefix + each)))
      // The id of rules is their hash, so rules of two libraries with one id are equal.
      const lines = await readItems(table, ruleKeys, true)
      const linesOf = (each: string) => {
        const item = lines.get(rulesPrefix + each)
        return item && rulesIn(item)
      }
      return new Map(found.map(({ key, stored }) => [key, withRules(stored, linesOf)]))
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

function storedDetails({ content, format }: Record<string, unknown>, key: string): StoredDetails {
  checkFormat(format, key)
  return unpack<StoredDetails>(content)
}

function rulesIn({ pk, content, format }: Record<string, unknown>): string[] {
  checkFormat(format, String(pk))
  return unpack<string[]>(content)
}

const rulesIds = ({ versions }: StoredDetails): Set<string> => new Set(versions.flatMap(({ rulesId }) => rulesId ?? []))

function withRules({ versions, report }: StoredDetails, linesOf: (id: string) => string[] | undefined): FoundDetails {
  const whole = versions.map(({ rulesId: each = '', ...version }) => ({ ...version, rules: linesOf(each) ?? [] }))
  return { versions: new Map(whole.map((each) => [each.version, each])), ...(report && { report }) }
}

const rulesOf = ({ versions }: Pick<StoredRecord, 'versions'>): Map<string, string[]> =>
  new Map(Array.from(versions.values(), ({ rules }) => [rulesId(rules), rules] as const).filter(([, rules]) => rules.length > 0))

const withoutRules = ({ rules, ...version }: CatalogVersion): DetailedVersion => ({
  ...version,
  ...(rules.length > 0 && { rulesId: rulesId(rules) }),
})
