import { createHash } from 'node:crypto'
import { sliceRows } from '../../search/rows/pack-rows.ts'
import type { PackedRows, SnippetRow } from '../../search/rows/snippet-store.ts'

export type WaitingRow = { path: string; text: string; hash: string; vector: Float32Array | undefined }

const textOf = ({ breadcrumb, content }: SnippetRow): string => `${breadcrumb.join(' > ')}\n${content}`

export const waitingRow = (row: SnippetRow): WaitingRow => {
  const text = textOf(row)
  return { path: row.path, text, hash: createHash('sha256').update(text).digest('hex').slice(0, 32), vector: undefined }
}

/** The rows that are not written yet, in the order in which they were added: first those whose vectors were looked up, then the unseen. */
export type WaitingRows = {
  /** Adds rows as they are written later. Each of them must then be added as a row. */
  addBatch(batch: PackedRows): void
  add(row: WaitingRow): void
  /** The unseen rows, which must be looked up and then added with `addSeen`. */
  takeUnseen(): WaitingRow[]
  addSeen(rows: WaitingRow[]): void
  /** The first rows that have their vectors, as batches to write. */
  takeReady(): Iterable<PackedRows>
  /** The number of rows that were looked up. */
  seen(): number
  unseen(): number
  /** The length of all texts. */
  bytes(): number
  /** True if the first row that was looked up has no vector yet. */
  isBlocked(): boolean
}

export function waitingRows(): WaitingRows {
  let unseen: WaitingRow[] = []
  let seen: WaitingRow[] = []
  const batches: PackedRows[] = []
  let bytes = 0
  return {
    addBatch: (batch) => void batches.push(batch),
    add(row) {
      bytes += row.text.length
      unseen.push(row)
    },
    takeUnseen() {
      const taken = unseen
      unseen = []
      return taken
    },
    addSeen: (rows) => void seen.push(...rows),
    *takeReady() {
      const end = seen.findIndex(({ vector }) => vector === undefined)
      const ready = end < 0 ? seen : seen.slice(0, end)
      if (ready.length === 0) return
      seen = end < 0 ? [] : seen.slice(end)
      for (const { text } of ready) bytes -= text.length
      for (let at = 0; at < ready.length; ) {
        const batch = batches.shift() as PackedRows
        const taken = Math.min(batch.length, ready.length - at)
        if (taken < batch.length) batches.unshift(sliceRows(batch, taken))
        const vectors = ready.slice(at, at + taken).map(({ vector }) => vector)
        yield { ...sliceRows(batch, 0, taken), vectors }
        at += taken
      }
    },
    seen: () => seen.length,
    unseen: () => unseen.length,
    bytes: () => bytes,
    isBlocked: () => seen[0]?.vector === undefined,
  }
}
