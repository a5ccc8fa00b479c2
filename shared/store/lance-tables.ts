import type { Connection, Session, Table } from '@lancedb/lancedb'
import { formatOf } from './generation-format.ts'
import { loadLance } from './load-lance.ts'
import { openTables } from './open-tables.ts'

/**
 * LanceDB's defaults are 6 GB and 1 GB: they would grow with each library that is asked. An opened text index is weighed with all of the metadata
 * cache. If that is large, only a few indexes fit, and each question opens its index again and weighs the metadata cache entry by entry.
 */
const [indexCacheBytes, metadataCacheBytes] = [64n * 1024n * 1024n, 2n * 1024n * 1024n]
const maxTables = 300
const pageSize = 1000

export type LanceOptions = {
  openAtOnce?: number | undefined
  storageOptions?: Record<string, string> | undefined
  /** The caches of LanceDB. */
  session?: Session | undefined
}

/** The tables of a database of LanceDB, which is connected at the first use. */
export type LanceTables = {
  connect(): Promise<Connection>
  /** Uses a table with a format number, which stays open for later. Throws search_failed if it has none. */
  use<T>(name: string, work: (table: Table) => Promise<T>): Promise<T>
  /** Closes a table once it is not in use. */
  forget(name: string): void
  exists(name: string): Promise<boolean>
  names(): Promise<string[]>
  close(): void
}

export function lanceTables(
  address: string,
  { openAtOnce = maxTables, storageOptions = {}, session }: LanceOptions,
): LanceTables {
  let connection: Promise<Connection> | undefined
  let caches = session
  const connect = () => {
    connection ??= loadLance()
      .then((lance) => {
        // LanceDB ignores a session as the third argument of `connect`.
        caches ??= new lance.Session(indexCacheBytes, metadataCacheBytes)
        return lance.connect(address, { storageOptions, session: caches })
      })
      .catch((error: unknown) => {
        connection = undefined
        throw error
      })
    return connection
  }
  const open = openTables(async (name) => {
    const table = await (await connect()).openTable(name)
    await formatOf(table)
    return table
  }, openAtOnce)
  return {
    connect,
    use: open.use,
    forget: open.forget,
    exists: async (name) => (await (await connect()).tableNames({ startAfter: before(name), limit: 1 })).includes(name),
    async names() {
      const names: string[] = []
      const db = await connect()
      for (let startAfter: string | undefined; ; ) {
        const page = await db.tableNames({ ...(startAfter === undefined ? {} : { startAfter }), limit: pageSize })
        names.push(...page)
        startAfter = page.at(-1)
        if (page.length < pageSize) return names
      }
    },
    close() {
      open.clear()
      const closing = connection
      connection = undefined
      void closing?.then(
        (db) => db.close(),
        () => undefined,
      )
    },
  }
}

/** A name just below `name` that no table has, to list tables from `name` on. */
const before = (name: string) => `${name.slice(0, -1)}${String.fromCharCode(name.charCodeAt(name.length - 1) - 1)}~`
