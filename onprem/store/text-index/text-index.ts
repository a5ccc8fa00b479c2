import type { DatabaseSync } from 'node:sqlite'
import { libraryKey, parseLibraryId } from '../../../shared/library.ts'
import type { Log } from '../../../shared/log.ts'
import type { Catalog } from '../../../shared/search/libraries/catalog.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { timeSlice } from '../../../shared/time/time-slice.ts'
import { shrinkDatabase } from '../shrink-database.ts'
import { chunkReader } from './chunks-of.ts'
import { type IndexedChunk, type IndexedRows, indexedRows, type RankedRow } from './indexed-rows.ts'
import { hasTextIndex, isDamagedIndex, openTextIndex, removeTextIndex } from './open-text-index.ts'

/** The text of the default content of all libraries, indexed when somebody searches. */
export type TextIndex = {
  /** Starts to index new content and to delete old content. Resolves when only served content can be found. */
  refresh(): Promise<void>
  /** Deletes content that is no longer served, if there is an index. */
  sweep(): Promise<void>
  /** The best rows of libraries, by their keys, for an FTS5 query. None of libraries that are not indexed yet. */
  ranked(match: string, keys: string[]): KeyedRow[]
  /** The same, of all rows that match, at most `limit`. */
  best(match: string, keys: string[], limit: number): KeyedRow[]
  chunk(row: number): IndexedChunk | undefined
  /** True if the content of a library is not indexed yet. */
  isPending(key: string): boolean
  /** Resolves when all content is indexed, or failed. */
  settled(): Promise<void>
  close(): Promise<void>
}

type KeyedRow = Omit<RankedRow, 'generation'> & { key: string }

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
  const state: State = { served: new Map(), numbers: new Map(), failed: new Set() }
  let work = Promise.resolve()
  let opened: { db: DatabaseSync; rows: IndexedRows } | undefined
  const open = () => {
    if (opened === undefined) {
      const db = openTextIndex(ports.dataDir)
      opened = { db, rows: indexedRows(db) }
      for (const { name, number, complete } of opened.rows.generations()) if (complete === 1) state.numbers.set(name, number)
    }
    return opened
  }
  /** Deletes a damaged file. The next search starts a new one. */
  const discard = () => {
    opened?.db.close()
    opened = undefined
    state.numbers.clear()
    Object.assign(state, unread)
    removeTextIndex(ports.dataDir)
  }
  const readServed = async () => {
    const { libraries, revision } = await ports.catalog.listed()
    if (state.revision !== revision) Object.assign(state, { served: await servedGenerations(ports, libraries), revision })
    return revision
  }
  /** Works when earlier work has ended. */
  const enqueue = (next: typeof nextStep) => {
    work = work
      .then(() => catchUp(ports, open(), state, next, stopping.signal))
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return
        if (isDamagedIndex(error)) discard()
        Object.assign(state, unread)
        ports.log.warn({ error }, 'the text index cannot be written; the next search tries again')
      })
    return work
  }
  const rowsOf = (keys: string[], find: (rows: IndexedRows, generations: number[]) => RankedRow[]): KeyedRow[] => {
    const keyOf = new Map<number, string>()
    for (const key of keys) {
      const number = state.numbers.get(state.served.get(key)?.generation ?? '')
      if (number !== undefined) keyOf.set(number, key)
    }
    try {
      const found = keyOf.size === 0 ? [] : find(open().rows, [...keyOf.keys()])
      return found.map(({ row, score, generation }) => ({ row, score, key: keyOf.get(generation) ?? '' }))
    } catch (error) {
      if (!isDamagedIndex(error)) throw error
      discard()
      return []
    }
  }
  return {
    async refresh() {
      const revision = await readServed()
      if (state.indexed === revision || stopping.signal.aborted) return
      state.indexed = revision
      void enqueue(nextStep)
    },
    async sweep() {
      if (stopping.signal.aborted || !hasTextIndex(ports.dataDir)) return
      const revision = await readServed()
      if (state.swept === revision) return
      state.swept = revision
      await enqueue(nextDrop)
    },
    ranked: (match, keys) => rowsOf(keys, (rows, generations) => rows.ranked(match, generations)),
    best: (match, keys, limit) => rowsOf(keys, (rows, generations) => rows.best(match, generations, limit)),
    chunk: (row) => open().rows.chunk(row),
    isPending(key) {
      const generation = state.served.get(key)?.generation
      return generation !== undefined && !state.numbers.has(generation) && !state.failed.has(generation)
    },
    settled: () => work,
    async close() {
      stopping.abort()
      await work
      opened?.db.close()
    },
  }
}

type Served = { generation: string; library: string }
type State = {
  /** The state of the catalog that `served` was read from, that all content is indexed of, and that old content is deleted of. */
  revision?: unknown
  indexed?: unknown
  swept?: unknown
  /** The served default content by the key of its library. */
  served: Map<string, Served>
  /** Numbers of the completely indexed generations. */
  numbers: Map<string, number>
  /** Generations that could not be read. */
  failed: Set<string>
}

const unread = { revision: undefined, indexed: undefined, swept: undefined }

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

type Generations = ReturnType<IndexedRows['generations']>
type Step = { drop: Generations } | { index: Served }

/** Does the steps until there is none, also those of changes meanwhile. */
async function catchUp(
  ports: TextIndexPorts,
  opened: { db: DatabaseSync; rows: IndexedRows },
  state: State,
  next: typeof nextStep,
  signal: AbortSignal,
): Promise<void> {
  for (let step = next(opened.rows, state); step; step = next(opened.rows, state)) {
    if ('drop' in step) await drop(opened, step.drop, state, signal)
    else await indexGeneration(ports, opened.rows, step.index, state, signal)
  }
}

/** Deletes generations, their words too, and returns their space to the disk. A generation is forgotten last, so that a killed server begins again. */
async function drop(
  { db, rows }: { db: DatabaseSync; rows: IndexedRows },
  generations: Generations,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  const pace = timeSlice(signal)
  for (const { number, name } of generations) {
    state.numbers.delete(name)
    rows.setComplete(number, false)
    while (!rows.deleteSome(number, rowsAtOnce)) await pace.yield()
  }
  for (let isErased = rows.erase(true); !isErased; isErased = rows.erase(false)) await pace.yield()
  for (const { number } of generations) rows.forget(number)
  await shrinkDatabase(db)
}

function nextDrop(rows: IndexedRows, { served }: State): { drop: Generations } | undefined {
  const names = new Set([...served.values()].map(({ generation }) => generation))
  const old = rows.generations().filter(({ name, complete }) => complete === 0 || !names.has(name))
  return old.length === 0 ? undefined : { drop: old }
}

/** Old content is deleted before new content is indexed. */
function nextStep(rows: IndexedRows, state: State): Step | undefined {
  const old = nextDrop(rows, state)
  if (old) return old
  const names = new Set(rows.generations().map(({ name }) => name))
  const index = [...state.served.values()].find(({ generation }) => !names.has(generation) && !state.failed.has(generation))
  return index && { index }
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
  rows.setComplete(number, true)
  state.numbers.set(generation, number)
}
