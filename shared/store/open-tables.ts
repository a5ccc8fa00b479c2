import type { Table } from '@lancedb/lancedb'
import { LRUCache } from 'lru-cache'

/** Tables that stay open between uses, the latest used ones; none is closed while it is in use. */
export type OpenTables = {
  use<T>(name: string, work: (table: Table) => Promise<T>): Promise<T>
  /** Closes a table once nobody uses it. */
  forget(name: string): void
  clear(): void
}

type OpenTable = { table: Promise<Table>; users: number; unwanted: boolean }

export function openTables(open: (name: string) => Promise<Table>, maxOpen: number): OpenTables {
  const tables = new LRUCache<string, OpenTable>({
    max: maxOpen,
    dispose: (held) => {
      held.unwanted = true
      closeUnused(held)
    },
  })
  return {
    async use(name, work) {
      const held = tables.get(name) ?? { table: open(name), users: 0, unwanted: false }
      held.users += 1
      tables.set(name, held)
      try {
        return await work(await held.table)
      } finally {
        held.users -= 1
        closeUnused(held)
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
