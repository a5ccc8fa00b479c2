import type { Table } from '@lancedb/lancedb'
import { LRUCache } from 'lru-cache'
import { AppError } from '../errors.ts'
import type { SnippetStore, StoredPage } from '../search/rows/snippet-store.ts'
import { readStatistics } from '../search/statistics/statistics.ts'
import { formatOf, generationFormat, oldestReadableFormat } from './generation-format.ts'
import { lanceGenerations } from './lance-generations.ts'
import { rowsOf, snippetsOf } from './lance-rows.ts'
import { statisticsBytes as bytesOf, originsBytes, scanRanges, searchTerms, searchVector } from './lance-search.ts'
import { type LanceOptions, lanceTables } from './lance-tables.ts'
import { lanceWriter } from './lance-writer.ts'
import type { ReadGuard } from './read-guard.ts'
import { readFlagged, readPageSnippets, readPages } from './read-pages.ts'
import { rowCache } from './row-cache.ts'
import { statisticsCache } from './statistics-cache.ts'

/** The number of libraries whose list of pages is cached, because their content is being viewed. */
const maxPageLists = 8
const rowBytes = 24 * 1024 * 1024

type Options = LanceOptions & {
  format?: number
  oldestReadable?: number
  guard?: ReadGuard
  /** An index of vectors is faster than a full scan above this many numbers. */
  indexedNumbers?: number
}

/** Snippets in LanceDB, one table per generation, in a folder or at `s3://…`, with LanceDB's storage options. */
export function lanceSnippets(
  address: string,
  {
    format = generationFormat,
    oldestReadable = oldestReadableFormat,
    guard,
    indexedNumbers = 10_000_000,
    ...options
  }: Options = {},
): SnippetStore {
  const tables = lanceTables(address, options)
  const cache = rowCache(rowBytes)
  const pageLists = new LRUCache<string, StoredPage[]>({ max: maxPageLists })
  const onForget = (generation: string) => {
    statistics.forget(generation)
    pageLists.delete(generation)
  }
  const stored = lanceGenerations(tables, { format, guard, onForget })
  const readableBytes = async (table: Table) => {
    const written = await formatOf(table)
    if (written > format) throw newerFormat()
    if (written < oldestReadable) throw olderFormat()
    return bytesOf(table)
  }
  const statistics = statisticsCache(async (generation) => readStatistics(await stored.readOnce(generation, readableBytes)))
  return {
    format,
    formatOf: (generation) => stored.readStatistics(generation, formatOf),
    async write(generation) {
      const { db, begun } = await stored.openWritten(generation)
      return lanceWriter(db, { generation, format, indexedNumbers }, begun, () => stored.drop(generation))
    },
    search: (generation, terms, limit, { vectors = false, withoutCopies = false, signal } = {}) =>
      stored.readRows(generation, (table) => searchTerms(table, terms, { limit, vectors, withoutCopies, cache }), signal),
    searchVector: (generation, vector, limit, { withoutCopies = false, signal } = {}) =>
      stored.readRows(generation, (table) => searchVector(table, vector, { limit, withoutCopies, cache }), signal),
    statistics: (generation) => stored.cachedStatistics(generation, () => statistics.get(generation)),
    scan: (generation) => scanRanges('stored', snippetsOf, (read) => orNotFound(stored.readRows(generation, read))),
    read: (generation, { vectors = false } = {}) =>
      scanRanges(vectors ? 'embedded' : 'ranked', rowsOf, (read) => orNotFound(stored.readRows(generation, read))),
    async pages(generation) {
      const pages = pageLists.get(generation) ?? (await stored.readRows(generation, readPages))
      if (pages) pageLists.set(generation, pages)
      return pages
    },
    pageSnippets: (generation, page, range) => stored.readRows(generation, (table) => readPageSnippets(table, page, range)),
    flagged: (generation, range) => stored.readRows(generation, (table) => readFlagged(table, range)),
    packedStatistics: (generation) => stored.readStatistics(generation, bytesOf),
    origins: (generation) => stored.readStatistics(generation, originsBytes),
    drop: stored.drop,
    damaged: stored.damaged,
    generations: stored.names,
    close() {
      guard?.close()
      tables.close()
      statistics.clear()
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
