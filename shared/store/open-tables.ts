import type { Table } from '@lancedb/lancedb'
import { LRUCache } from 'lru-cache'

/** Keeps the most recently used tables open. Never closes a table in use. */
export type OpenTables = {
  use<T>(name: string, work: (table: Table) => Promise<T>): Promise<T>
  /** Closes a table once it is not in use. */
  forget(name: string): void
  clear(): void
}

type OpenTable = { table: Promise<Table>; users: number; unwanted: boolean }

export function openTables(open: (name: string) => Promise<Table>, maxOpen: number): OpenTables {
  const tables = new LRUCache<string, OpenTable>({
    max: maxOpen,
    dispose: (entry) => {
      entry.unwanted = true
      closeUnused(entry)
    },
  })
  return {
    async use(name, work) {
      const entry = tables.get(name) ?? { table: open(name), users: 0, unwanted: false }
      entry.users += 1
      tables.set(name, entry)
      try {
        return await work(await entry.table)
      } finally {
        entry.users -= 1
        closeUnused(entry)
      }
    },
    forget: (name) => void tables.delete(name),
    clear: () => tables.clear(),
  }
}

function closeUnused({ table, users, unwanted }: OpenTable): void {
  if (!unwanted || users > 0) return
  void table.then(
    (each) => each.close(),
    () => undefined,
  )
}
