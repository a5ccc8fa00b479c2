import type { Table } from '@lancedb/lancedb'
import { LRUCache } from 'lru-cache'
import type { SnippetRow } from '../search/rows/snippet-store.ts'

/**
 * Rows that questions found before, by their ids in LanceDB. A row is kept when a second question finds it: if many libraries are asked in turn,
 * keeping each row would only make garbage.
 */
export type RowCache = { of(table: Table, columns: string[]): TableRows }

export type TableRows = {
  get(id: bigint): SnippetRow | undefined
  add(id: bigint, row: SnippetRow): void
  /** True if the last questions found many of their rows here. */
  readonly isUseful: boolean
  /** Records how many of the rows of a question were here. */
  note(cachedRows: number, foundRows: number): void
}

/**
 * Minimum share of a question's rows in memory. If it has fewer, finding the missing ones costs more than reading all of them.
 */
const usefulShare = 0.25
/** The number of rows that are remembered as found once. */
const maxSeen = 20_000
/** Objects, and the texts that are not counted. */
const overheadBytes = 1_000

/** `maxBytes` is an estimate. A table is never written while it is searched, so a row never changes. */
export function rowCache(maxBytes: number): RowCache {
  const rows = new LRUCache<string, SnippetRow>({ maxSize: maxBytes, sizeCalculation: sizeOf })
  const seen = new LRUCache<string, true>({ max: maxSeen })
  const tables = new WeakMap<Table, { number: number; share: number }>()
  let count = 0
  return {
    of(table, columns) {
      const own = tables.get(table) ?? { number: ++count, share: 0 }
      tables.set(table, own)
      const prefix = `${own.number} ${columns.length} `
      return {
        get: (id) => rows.get(prefix + id),
        add(id, row) {
          const key = prefix + id
          if (seen.delete(key)) rows.set(key, row)
          else seen.set(key, true)
        },
        get isUseful() {
          return own.share >= usefulShare
        },
        note(cachedRows, foundRows) {
          if (foundRows > 0) own.share = (own.share + cachedRows / foundRows) / 2
        },
      }
    },
  }
}

/** The terms count twice: ranking keeps the hash and the end of each, in about as many bytes as the text of all. */
function sizeOf({ content, code, terms, vector }: SnippetRow): number {
  const codeLength = code.reduce((sum, each) => sum + each.code.length, 0)
  return content.length + codeLength + 2 * terms.length + (vector?.byteLength ?? 0) + overheadBytes
}
