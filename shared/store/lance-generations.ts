import type { Connection, Table } from '@lancedb/lancedb'
import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import type { DamagedContent } from '../search/rows/snippet-store.ts'
import { formatOf, statisticsSuffix } from './generation-format.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { isNotDamage } from './is-not-damage.ts'
import type { LanceTables } from './lance-tables.ts'
import type { ReadGuard } from './read-guard.ts'

/** More concurrent searches are not faster, and some would wait for seconds, because LanceDB does not queue them. */
const maxSearches = 4

type Part = 'statistics' | 'rows'
type Read<T> = (table: Table) => Promise<T>

/** The two tables of each generation. Reads return undefined if the generation is gone, even if its tables were open. */
export type LanceGenerations = {
  /** Waits until fewer than `maxSearches` others read rows. */
  readRows<T>(generation: string, read: Read<T>, signal?: AbortSignal): Promise<T | undefined>
  readStatistics<T>(generation: string, read: Read<T>): Promise<T | undefined>
  /** Gets statistics that a cache holds, or reads with `readOnce`. */
  cachedStatistics<T>(generation: string, get: () => Promise<T>): Promise<T | undefined>
  /** Reads the statistics and closes their table. */
  readOnce<T>(generation: string, read: Read<T>): Promise<T>
  /** The connection, and the table that an interrupted writer has left. */
  openWritten(generation: string): Promise<{ db: Connection; begun: Table | undefined }>
  drop(generation: string): Promise<void>
  damaged(): DamagedContent[]
  names(): Promise<string[]>
}

type Options = {
  format: number
  guard: ReadGuard | undefined
  /** Called when a generation is dropped or cannot be read. */
  onForget(generation: string): void
}

export function lanceGenerations(tables: LanceTables, { format, guard, onForget }: Options): LanceGenerations {
  const failures = readFailures()
  const inTurn = pLimit(maxSearches)
  const withTable = <T>(generation: string, name: string, read: Read<T>): Promise<T> =>
    guard ? guard.read(generation, () => tables.use(name, read)) : tables.use(name, read)
  const statisticsTable = <T>(generation: string, read: Read<T>) => withTable(generation, generation + statisticsSuffix, read)
  const forget = (generation: string) => {
    tables.forget(generation)
    tables.forget(generation + statisticsSuffix)
    onForget(generation)
  }
  const ifExists = async <T>(generation: string, part: Part, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      forget(generation)
      if (!(await tables.exists(generation + statisticsSuffix))) return undefined
      failures.add(generation, part, error)
      throw error
    }
  }
  const drop = async (generation: string) => {
    forget(generation)
    const db = await tables.connect()
    // Checking first would list the names of all tables.
    for (const name of [generation + statisticsSuffix, generation]) await db.dropTable(name).catch(unlessGone)
    guard?.forget(generation)
    failures.forget(generation)
  }
  /**
   * Returns undefined for a table of another format, and for one whose writer was killed before its first batch, which is a
   * folder without a version.
   */
  const openOrDrop = async (db: Connection, generation: string) => {
    try {
      const table = await db.openTable(generation)
      if ((await formatOf(table)) === format) return table
      table.close()
    } catch (error) {
      if (!/was not found/.test(String(error))) throw error
    }
    await drop(generation)
    return undefined
  }
  return {
    readRows: (generation, read, signal) =>
      inTurn(() => {
        signal?.throwIfAborted()
        return ifExists(generation, 'rows', () => withTable(generation, generation, read))
      }),
    readStatistics: (generation, read) => ifExists(generation, 'statistics', () => statisticsTable(generation, read)),
    cachedStatistics: (generation, get) =>
      ifExists(generation, 'statistics', async () => {
        const statistics = await get()
        failures.forget(generation, 'statistics')
        return statistics
      }),
    async readOnce(generation, read) {
      const result = await statisticsTable(generation, read)
      tables.forget(generation + statisticsSuffix)
      return result
    },
    async openWritten(generation) {
      const db = await tables.connect()
      return { db, begun: (await tables.exists(generation)) ? await openOrDrop(db, generation) : undefined }
    },
    drop,
    damaged: () => [
      ...(guard?.damaged() ?? []).map((generation) => ({ generation, damage: 'quarantined' as const })),
      ...(guard?.unchecked() ?? []).map((generation) => ({ generation, damage: 'unchecked' as const })),
      ...failures.list(),
    ],
    async names() {
      const names = await tables.names()
      return [...new Set(names.map((name) => (name.endsWith(statisticsSuffix) ? name.slice(0, -statisticsSuffix.length) : name)))]
    },
  }
}

function unlessGone(error: unknown): void {
  if (!/was not found/.test(String(error))) throw error
}

/** The parts of generations that could not be read, though they exist. */
function readFailures() {
  const failed: Record<Part, Set<string>> = { statistics: new Set(), rows: new Set() }
  const damagedParts = (part: Part): DamagedContent[] => [...failed[part]].map((generation) => ({ generation, damage: part }))
  return {
    /** The guard checks content that panicked. */
    add(generation: string, part: Part, error: unknown) {
      if (!(error instanceof AppError || isLancePanic(error) || isNotDamage(error))) failed[part].add(generation)
    },
    /** Call it for a part that was read, or for a generation that was dropped. */
    forget(generation: string, part?: Part) {
      if (part !== 'rows') failed.statistics.delete(generation)
      if (part !== 'statistics') failed.rows.delete(generation)
    },
    list: (): DamagedContent[] => [...damagedParts('statistics'), ...damagedParts('rows')],
  }
}
