import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { AppError } from '../../../shared/errors.ts'
import type { CatalogVersion, StoredRecord } from '../../catalog/catalog-record.ts'
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

/**
 * A record as an item. Everything that may grow is compressed in the attribute `content`; the other attributes are for people who look
 * at the table. Throws library_too_large.
 */
export function catalogItem({ key, revision, versions, ...rest }: StoredRecord): Record<string, unknown> {
  const content = deflateRawSync(JSON.stringify({ ...rest, versions: [...versions.values()] }))
  if (content.length > maxContentBytes) {
    throw new AppError(
      'library_too_large',
      `${rest.id} is too large to store with ${versions.size} versions: its rules, names or settings are too long. Request fewer versions.`,
    )
  }
  const { id, state, teamspace, addedPrivate, hostPrivate } = rest
  return { ...catalogKey(key), id, state, teamspace, private: addedPrivate || hostPrivate, revision, content }
}

export function fromCatalogItem({ sk, revision, content }: Record<string, unknown>): StoredRecord {
  const unpacked = inflateRawSync(content as Uint8Array, { maxOutputLength: maxUnpackedBytes }).toString()
  const { versions, ...rest } = JSON.parse(unpacked) as Omit<StoredRecord, 'versions'> & { versions: CatalogVersion[] }
  return {
    ...rest,
    key: String(sk),
    revision: Number(revision),
    versions: new Map(versions.map((each) => [each.version, each])),
  }
}
