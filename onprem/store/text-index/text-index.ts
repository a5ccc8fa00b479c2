import type { DatabaseSync } from 'node:sqlite'
import { libraryKey, parseLibraryId } from '../../../shared/library.ts'
import type { Log } from '../../../shared/log.ts'
import type { Catalog } from '../../../shared/search/libraries/catalog.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { timeSlice } from '../../../shared/time/time-slice.ts'
import { chunkReader } from './chunks-of.ts'
import { type IndexedChunk, type IndexedRows, indexedRows, type RankedRow } from './indexed-rows.ts'
import { isDamagedIndex, openTextIndex, removeTextIndex } from './open-text-index.ts'

/** The text of the default content of all libraries, indexed when somebody searches. */
export type TextIndex = {
  /** Starts to index new content and to delete old content. Resolves when only served content can be found. */
  refresh(): Promise<void>
  /** The best rows of libraries, by their keys, for an FTS5 query. None of libraries that are not indexed yet. */
  ranked(match: string, keys: string[]): (Omit<RankedRow, 'generation'> & { key: string })[]
  chunk(row: number): IndexedChunk | undefined
  /** True if the content of a library is not indexed yet. */
  isPending(key: string): boolean
  /** Resolves when all content is indexed, or failed. */
  settled(): Promise<void>
  close(): Promise<void>
}

type TextIndexPorts = {
  dataDir: string
  catalog: Pick<Catalog, 'listed' | 'served'>
  snippets: Pick<SnippetStore, 'scan'>
  log: Log
}

/** A transaction of these blocks the server for some milliseconds. */
const rowsAtOnce = 50

export function textIndex(ports: TextIndexPorts): TextIndex {
  const stopping = new AbortController()
  const state: State = { revision: undefined, served: new Map(), numbers: new Map(), failed: new Set(), work: undefined }
  let opened: { db: DatabaseSync; rows: IndexedRows } | undefined
  const rows = () => {
    if (opened === undefined) {
      const db = openTextIndex(ports.dataDir)
      opened = { db, rows: indexedRows(db) }
      for (const { name, number, complete } of opened.rows.generations()) if (complete === 1) state.numbers.set(name, number)
    }
    return opened.rows
  }
  /** Deletes a damaged file. The next search starts a new one. */
  const discard = () => {
    opened?.db.close()
    opened = undefined
    state.numbers.clear()
    state.revision = undefined
    removeTextIndex(ports.dataDir)
  }
  return {
    async refresh() {
      const { libraries, revision } = await ports.catalog.listed()
      if (state.revision === revision || stopping.signal.aborted) return
      state.served = await servedGenerations(ports, libraries)
      state.revision = revision
      state.work ??= catchUp(ports, rows(), state, stopping.signal)
        .catch((error: unknown) => {
          if (stopping.signal.aborted) return
          if (isDamagedIndex(error)) discard()
          state.revision = undefined
          ports.log.warn({ error }, 'the text index cannot be written; the next search tries again')
        })
        .finally(() => {
          state.work = undefined
        })
    },
    ranked(match, keys) {
      const keyOf = new Map<number, string>()
      for (const key of keys) {
        const number = state.numbers.get(state.served.get(key)?.generation ?? '')
        if (number !== undefined) keyOf.set(number, key)
      }
      try {
        const found = keyOf.size === 0 ? [] : rows().ranked(match, [...keyOf.keys()])
        return found.map(({ row, score, generation }) => ({ row, score, key: keyOf.get(generation) ?? '' }))
      } catch (error) {
        if (!isDamagedIndex(error)) throw error
        discard()
        return []
      }
    },
    chunk: (row) => rows().chunk(row),
    isPending(key) {
      const generation = state.served.get(key)?.generation
      return generation !== undefined && !state.numbers.has(generation) && !state.failed.has(generation)
    },
    settled: async () => state.work,
    async close() {
      stopping.abort()
      await state.work
      opened?.db.close()
    },
  }
}

type Served = { generation: string; library: string }
type State = {
  /** The state of the catalog that `served` was read from. */
  revision: unknown
  /** The served default content by the key of its library. */
  served: Map<string, Served>
  /** Numbers of the completely indexed generations. */
  numbers: Map<string, number>
  /** Generations that could not be read. */
  failed: Set<string>
  work: Promise<void> | undefined
}

type Libraries = Awaited<ReturnType<Catalog['listed']>>['libraries']

async function servedGenerations({ catalog }: TextIndexPorts, libraries: Libraries): Promise<Map<string, Served>> {
  const served = new Map<string, Served>()
  for (const { id, title } of libraries) {
    const library = parseLibraryId(id)
    const content = await catalog.served(library).catch(() => undefined)
    if (content) served.set(libraryKey(library), { generation: content.generation, library: `${id} ${title}` })
  }
  return served
}

/** Deletes what is no longer served, then indexes what is new, until nothing has changed meanwhile. */
async function catchUp(ports: TextIndexPorts, rows: IndexedRows, state: State, signal: AbortSignal): Promise<void> {
  const pace = timeSlice(signal)
  for (let next = nextStep(rows, state); next; next = nextStep(rows, state)) {
    if ('drop' in next) {
      state.numbers.delete(next.name)
      while (!rows.drop(next.drop, rowsAtOnce)) await pace.yield()
    } else await indexGeneration(ports, rows, next, state, signal)
  }
}

function nextStep(rows: IndexedRows, state: State): { drop: number; name: string } | Served | undefined {
  const served = new Map([...state.served.values()].map((each) => [each.generation, each]))
  const indexed = rows.generations()
  const old = indexed.find(({ name, complete }) => complete === 0 || !served.has(name))
  if (old) return { drop: old.number, name: old.name }
  const names = new Set(indexed.map(({ name }) => name))
  return [...served.values()].find(({ generation }) => !names.has(generation) && !state.failed.has(generation))
}

/** Skips content that cannot be read. The page of the library explains why. */
async function indexGeneration(
  { snippets }: TextIndexPorts,
  rows: IndexedRows,
  { generation, library }: Served,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  const pace = timeSlice(signal)
  const number = rows.begin(generation)
  const read = chunkReader(library)
  let written = 0
  const batches = snippets.scan(generation)[Symbol.asyncIterator]()
  for (;;) {
    const batch = await batches.next().catch(() => undefined)
    if (batch === undefined) state.failed.add(generation)
    if (batch?.done !== false) break
    const chunks = batch.value.map(read)
    for (let from = 0; from < chunks.length; from += rowsAtOnce) {
      const some = chunks.slice(from, from + rowsAtOnce)
      rows.add(number, written, some)
      written += some.length
      await pace.yield()
    }
  }
  if (state.failed.has(generation)) return
  rows.finish(number)
  state.numbers.set(generation, number)
}
