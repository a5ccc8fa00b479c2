import type { Connection, Session, Table } from '@lancedb/lancedb'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { AppError } from '../errors.ts'
import type { DamagedContent, SnippetStore, StoredPage } from '../search/rows/snippet-store.ts'
import { type LibraryStatistics, readStatistics } from '../search/statistics/statistics.ts'
import { formatOf, generationFormat, oldestReadableFormat } from './generation-format.ts'
import { isLancePanic } from './is-lance-panic.ts'
import { isNotDamage } from './is-not-damage.ts'
import { rowsOf, snippetsOf } from './lance-rows.ts'
import { statisticsBytes as bytesOf, originsBytes, scanRanges, searchTerms, searchVector } from './lance-search.ts'
import { lanceWriter, statisticsSuffix } from './lance-writer.ts'
import { loadLance } from './load-lance.ts'
import { openTables } from './open-tables.ts'
import type { ReadGuard } from './read-guard.ts'
import { readPageSnippets, readPages } from './read-pages.ts'
import { rowCache } from './row-cache.ts'

const maxTables = 300
/** The number of libraries whose list of pages is cached, because their content is being viewed. */
const maxPageLists = 8
const statisticsBytes = 64 * 1024 * 1024
const rowBytes = 24 * 1024 * 1024
/**
 * LanceDB's defaults are 6 GB and 1 GB: they would grow with each library that is asked. An opened text index is weighed with all of the metadata
 * cache. If that is large, only a few indexes fit, and each question opens its index again and weighs the metadata cache entry by entry.
 */
const [indexCacheBytes, metadataCacheBytes] = [64n * 1024n * 1024n, 2n * 1024n * 1024n]
/** More concurrent searches are not faster, and some would wait for seconds, because LanceDB does not queue them. */
const maxSearches = 4

type Options = {
  openAtOnce?: number
  storageOptions?: Record<string, string>
  format?: number
  oldestReadable?: number
  guard?: ReadGuard
  /** The caches of LanceDB. */
  session?: Session
}

/** Snippets in LanceDB, one table per generation, in a folder or at `s3://…`, with LanceDB's storage options. */
export function lanceSnippets(
  address: string,
  {
    openAtOnce = maxTables,
    storageOptions = {},
    format = generationFormat,
    oldestReadable = oldestReadableFormat,
    guard,
    session,
  }: Options = {},
): SnippetStore {
  let connection: Promise<Connection> | undefined
  const connect = () => {
    connection ??= loadLance()
      .then((lance) => {
        // LanceDB ignores a session as the third argument of `connect`.
        session ??= new lance.Session(indexCacheBytes, metadataCacheBytes)
        return lance.connect(address, { storageOptions, session })
      })
      .catch((error: unknown) => {
        connection = undefined
        throw error
      })
    return connection
  }
  const tables = openTables(async (name) => {
    const table = await (await connect()).openTable(name)
    await formatOf(table)
    return table
  }, openAtOnce)
  const statistics = new LRUCache<string, LibraryStatistics>({
    maxSize: statisticsBytes,
    sizeCalculation: (each) => each.sizeBytes + 1,
  })
  const withTable = <T>(generation: string, name: string, work: (table: Table) => Promise<T>): Promise<T> =>
    guard ? guard.read(generation, () => tables.use(name, work)) : tables.use(name, work)
  const cache = rowCache(rowBytes)
  const pageLists = new LRUCache<string, StoredPage[]>({ max: maxPageLists })
  const pending = new Map<string, Promise<LibraryStatistics>>()
  const forget = (generation: string) => {
    tables.forget(generation)
    tables.forget(generation + statisticsSuffix)
    statistics.delete(generation)
    pageLists.delete(generation)
    pending.delete(generation)
  }
  /** Shares one read between concurrent callers. Caches the result unless the generation was dropped meanwhile. */
  const readOnce = (generation: string): Promise<LibraryStatistics> => {
    const reading =
      pending.get(generation) ??
      withTable(generation, generation + statisticsSuffix, readableBytes).then((bytes) => {
        const read = readStatistics(bytes)
        if (pending.delete(generation)) statistics.set(generation, read)
        tables.forget(generation + statisticsSuffix)
        return read
      })
    pending.set(generation, reading)
    return reading
  }
  const readableBytes = async (table: Table) => {
    const found = await formatOf(table)
    if (found > format) throw newerFormat()
    if (found < oldestReadable) throw olderFormat()
    return bytesOf(table)
  }
  const inTurn = pLimit(maxSearches)
  const exists = async (name: string) =>
    (await (await connect()).tableNames({ startAfter: before(name), limit: 1 })).includes(name)
  const failed = { statistics: new Set<string>(), rows: new Set<string>() }
  type Part = keyof typeof failed
  /** Returns undefined if the generation is gone, even if its table was open. */
  const ifExists = async <T>(generation: string, part: Part, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      forget(generation)
      if (!(await exists(generation + statisticsSuffix))) return undefined
      // The guard checks content that panicked.
      if (!(error instanceof AppError || isLancePanic(error) || isNotDamage(error))) failed[part].add(generation)
      throw error
    }
  }
  const openStatistics = async (generation: string) => {
    const found = statistics.get(generation) ?? (await readOnce(generation))
    failed.statistics.delete(generation)
    return found
  }
  const damagedParts = (part: Part): DamagedContent[] => [...failed[part]].map((generation) => ({ generation, damage: part }))
  const search = <T>(generation: string, read: (table: Table) => Promise<T>, signal?: AbortSignal) =>
    inTurn(() => {
      signal?.throwIfAborted()
      return ifExists(generation, 'rows', () => withTable(generation, generation, read))
    })
  const drop = async (generation: string) => {
    forget(generation)
    const db = await connect()
    for (const name of [generation + statisticsSuffix, generation]) if (await exists(name)) await db.dropTable(name)
    guard?.forget(generation)
    failed.statistics.delete(generation)
    failed.rows.delete(generation)
  }

  /**
   * Returns undefined for a table of another format, and for one whose writer was killed before its first batch, which is a
   * folder without a version.
   */
  const openOrDrop = async (generation: string) => {
    const db = await connect()
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
    format,
    formatOf: (generation) =>
      ifExists(generation, 'statistics', () => withTable(generation, generation + statisticsSuffix, formatOf)),
    async write(generation) {
      const db = await connect()
      const begun = (await exists(generation)) ? await openOrDrop(generation) : undefined
      return lanceWriter(db, { generation, format }, begun, () => drop(generation))
    },
    search: (generation, terms, limit, { vectors = false, signal } = {}) =>
      search(generation, (table) => searchTerms(table, terms, { limit, vectors, cache }), signal),
    searchVector: (generation, vector, limit, { signal } = {}) =>
      search(generation, (table) => searchVector(table, vector, { limit, cache }), signal),
    statistics: (generation) => ifExists(generation, 'statistics', () => openStatistics(generation)),
    scan: (generation) => scanRanges('stored', snippetsOf, (read) => orNotFound(search(generation, read))),
    read: (generation, { vectors = false } = {}) =>
      scanRanges(vectors ? 'embedded' : 'ranked', rowsOf, (read) => orNotFound(search(generation, read))),
    async pages(generation) {
      const pages = pageLists.get(generation) ?? (await search(generation, readPages))
      if (pages) pageLists.set(generation, pages)
      return pages
    },
    pageSnippets: (generation, page, range) => search(generation, (table) => readPageSnippets(table, page, range)),
    packedStatistics: (generation) =>
      ifExists(generation, 'statistics', () => withTable(generation, generation + statisticsSuffix, bytesOf)),
    origins: (generation) =>
      ifExists(generation, 'statistics', () => withTable(generation, generation + statisticsSuffix, originsBytes)),
    drop,
    damaged: () => [
      ...(guard?.damaged() ?? []).map((generation) => ({ generation, damage: 'quarantined' as const })),
      ...(guard?.unchecked() ?? []).map((generation) => ({ generation, damage: 'unchecked' as const })),
      ...damagedParts('statistics'),
      ...damagedParts('rows'),
    ],
    async generations() {
      const names = new Set<string>()
      const db = await connect()
      for (let startAfter: string | undefined; ; ) {
        const page = await db.tableNames({ ...(startAfter === undefined ? {} : { startAfter }), limit: 1000 })
        for (const name of page) names.add(name.endsWith(statisticsSuffix) ? name.slice(0, -statisticsSuffix.length) : name)
        startAfter = page.at(-1)
        if (page.length < 1000) return [...names]
      }
    },
    close() {
      guard?.close()
      tables.clear()
      statistics.clear()
      const closing = connection
      connection = undefined
      void closing?.then(
        (db) => db.close(),
        () => undefined,
      )
    },
  }
}

async function orNotFound<T>(rows: Promise<T | undefined>): Promise<T> {
  const read = await rows
  if (read === undefined) throw new AppError('not_found', 'This content was replaced or removed while it was being read.')
  return read
}

const newerFormat = () =>
  new AppError('search_failed', 'It was written by a newer version of Carrel. Start that version, or refresh the library.')

const olderFormat = () =>
  new AppError(
    'search_failed',
    'It is in an old format and is being rebuilt from the stored content. Ask again when its job has ended; no refresh is needed.',
  )

/** A name just below `name` that no table has, to list tables from `name` on. */
const before = (name: string) => `${name.slice(0, -1)}${String.fromCharCode(name.charCodeAt(name.length - 1) - 1)}~`
