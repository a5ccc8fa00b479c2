import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { AppError } from '../../../shared/errors.ts'
import type { RecordHead, VersionHead } from '../../catalog/catalog-record.ts'
import { checkFormat, itemFormat } from '../../catalog/item-format.ts'
import type { ItemKey } from '../read-items.ts'

/** Partitions of the catalog. The whole catalog is read partition by partition. */
export const shards = Array.from({ length: 16 }, (_, n) => `CATALOG#${n}`)

/** An item has at most 400 kB. */
const maxContentBytes = 380_000
const maxUnpackedBytes = 64 * 1024 * 1024

export const catalogKey = (key: string): ItemKey => ({
  pk: `CATALOG#${(createHash('sha256').update(key).digest()[0] ?? 0) % shards.length}`,
  sk: key,
})

/** The head of a record, with the id of its details; '' if it has none. */
export type StoredHead = RecordHead & { details: string }

/**
 * A head as an item. Everything that may grow is compressed in the attribute `content`; the other attributes are for people who look
 * at the table. Throws library_too_large.
 */
export function catalogItem({ key, revision, versions, ...rest }: StoredHead): Record<string, unknown> {
  const content = pack({ ...rest, versions: [...versions.values()] }, () => tooLarge(rest.id, versions.size))
  const { id, state, teamspace, addedPrivate, hostPrivate } = rest
  return { ...catalogKey(key), id, state, teamspace, private: addedPrivate || hostPrivate, revision, content, format: itemFormat }
}

/** Throws temporarily_unavailable for an item of a newer deployment. */
export function fromCatalogItem({ sk, revision, content, format, id }: Record<string, unknown>): StoredHead {
  checkFormat(format, String(id))
  const { versions, ...rest } = unpack<Omit<StoredHead, 'versions'> & { versions: VersionHead[] }>(content)
  return {
    ...rest,
    key: String(sk),
    revision: Number(revision),
    versions: new Map(versions.map((each) => [each.version, each])),
  }
}

export const tooLarge = (id: string, versions: number): AppError =>
  new AppError(
    'library_too_large',
    `${id} is too large to store with ${versions} versions: its rules, names or settings are too long. Request fewer versions.`,
  )

/** Throws the error if the value does not fit into an item. */
export function pack(value: unknown, error: () => AppError): Uint8Array {
  const content = deflateRawSync(JSON.stringify(value))
  if (content.length > maxContentBytes) throw error()
  return content
}

export const unpack = <Value>(content: unknown): Value =>
  JSON.parse(inflateRawSync(content as Uint8Array, { maxOutputLength: maxUnpackedBytes }).toString())
