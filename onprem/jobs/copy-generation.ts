import type { Vectors } from '../../shared/ai/vectors.ts'
import { AppError } from '../../shared/errors.ts'
import { type Embedding, type EmbeddingStore, embeddingStore } from '../../shared/indexing/embedding/embedding-store.ts'
import type { EmbeddingWriter } from '../../shared/indexing/embedding/embedding-writer.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { interruptibleStore } from '../../shared/indexing/interruptible-store.ts'
import { reanalyse } from '../../shared/indexing/pages/reanalyse.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import { sliceRows } from '../../shared/search/rows/pack-rows.ts'
import type { GenerationWriter, PackedRows, SnippetRow, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { pluralize } from '../../shared/text/figures.ts'
import { withTimeout } from '../../shared/time/with-timeout.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { copyOf } from '../store/jobs/job.ts'
import type { Counting, WorkProgress } from './work-progress.ts'

export type CopyPorts = {
  catalog: Pick<InstallCatalog, 'versions' | 'reserve' | 'replace' | 'hold'>
  snippets: SnippetStore
  vectors: Pick<Vectors, 'copy' | 'forget'>
}

/** `pause` asks the job to make way for another one: requests in flight may end, and what they made is stored. */
export type CopySignals = { signal: AbortSignal; pause: AbortSignal }

export type Copying = CopyPorts &
  CopySignals & {
    job: { id: number; project: string; library: LibraryId }
    current: StoredVersion
    /** The embedding that the settings name now; undefined if the version keeps its vectors. */
    embedding(): Embedding | undefined
    progress: Pick<WorkProgress, 'log' | 'stage'>
    /** Snippets that were copied before those of this version. */
    counted: number
    counting: Counting
    /** Gets the texts that were embedded for this version so far. */
    onEmbedded(texts: number): void
  }

/**
 * Copies the content of a version into the current format, with its vectors or those of the embedding, and switches to the copy. Skips a version
 * that is replaced or removed meanwhile. Returns false if the settings name another model by then: the copy must begin again.
 */
export async function copyGeneration(copying: Copying): Promise<boolean> {
  const { catalog, current, counted, counting, job, onEmbedded, pause, progress, signal } = copying
  const embedding = copying.embedding()
  const generation = copyOf(job.id, current.generation)
  catalog.reserve(generation, job.id, current.version)
  const store = interruptibleStore(copying, signal)
  if (!embedding) {
    progress.stage(`Rebuilding the index of ${nameOf(copying)}`)
    return copy(copying, { generation, writer: await store.write(generation) })
  }
  progress.stage(`Embedding snippets of ${nameOf(copying)}`)
  const { model } = embedding.embedder
  const otherModel = new AbortController()
  const options = { ...embedding.options, pause: AbortSignal.any([pause, otherModel.signal]) }
  const embedded = embeddingStore(store, { ...embedding, options }, libraryKey(job.library), signal, {
    onWritten: (rows) => counting.done(counted + rows),
    onEmbedded(texts) {
      onEmbedded(texts)
      if (copying.embedding()?.embedder.model !== model) otherModel.abort()
    },
  })
  const writer = await embedded.write(generation)
  try {
    return await copy(copying, { generation, writer, embedded, model })
  } catch (error) {
    if (!otherModel.signal.aborted || signal.aborted || pause.aborted) throw error
    return false
  } finally {
    await withTimeout('Storing vectors', maxEndMs, () => writer.end()).catch(() => undefined)
  }
}

/** A provider that ignores the end of its request must not delay a stop of the server. */
const maxEndMs = 5_000

type Copy = {
  generation: string
  writer: GenerationWriter & Partial<Pick<EmbeddingWriter, 'drain'>>
  /** Undefined if the rows keep their vectors. */
  embedded?: EmbeddingStore
  model?: string
}

async function copy(copying: Copying, { generation, writer, embedded, model }: Copy): Promise<boolean> {
  const { catalog, current, job, progress, signal, snippets, vectors } = copying
  const outcome = await copyRows(copying, { writer, model })
  if (outcome === 'other model') return false
  if (outcome === 'copied' && !embedded) await vectors.copy(current.generation, generation)
  signal.throwIfAborted()
  if (outcome === 'replaced' || !isServed(copying)) {
    progress.log(`${nameOf(copying)} was replaced or removed.`)
    await writer.abort()
    await vectors.forget(generation)
    return true
  }
  catalog.replace(job.library, current, {
    generation,
    space: embedded ? embedded.space() : current.space,
    format: snippets.format,
  })
  const outcomeText = embedded ? `${pluralize(embedded.textsEmbedded(), 'text')} embedded for` : 'the index was rebuilt for'
  progress.log(`${nameOf(copying)}: ${outcomeText} ${pluralize(current.snippets, 'snippet')}.`)
  return true
}

/** `model` is that of the new vectors. */
async function copyRows(
  copying: Copying,
  { writer, model }: Pick<Copy, 'writer' | 'model'>,
): Promise<'copied' | 'replaced' | 'other model'> {
  const { counted, counting, embedding, pause, signal } = copying
  const batches = rowsOf(copying, model === undefined)
  let done = 0
  try {
    for (let next = await batches.next(); ; next = await batches.next()) {
      signal.throwIfAborted()
      pause.throwIfAborted()
      if (!isServed(copying)) return 'replaced'
      if (embedding()?.embedder.model !== model) return 'other model'
      if (next.done) {
        await writer.drain?.()
        pause.throwIfAborted()
        counting.indexing()
        await writer.finish(next.value.statistics, next.value.origins)
        return 'copied'
      }
      await writer.add(withoutFirst(next.value, writer.written - done))
      done += next.value.length
      if (model === undefined) counting.done(counted + done)
    }
  } catch (error) {
    if (signal.aborted || pause.aborted || isServed(copying)) throw error
    return 'replaced'
  } finally {
    await batches.return({ statistics: new Uint8Array() })
  }
}

const isServed = ({ catalog, current, job }: Copying): boolean =>
  catalog.versions(job.library).some(({ generation }) => generation === current.generation)

const nameOf = ({ current, job }: Copying): string => current.version || current.ref || job.project

/** Yields the rows of a version in the current format and returns the rest of its content. Rows that are analysed again have no origins. */
async function* rowsOf(
  { current, snippets, signal }: Copying,
  vectors: boolean,
): AsyncGenerator<SnippetRow[] | PackedRows, { statistics: Uint8Array; origins?: Uint8Array | undefined }> {
  const rows = orUnreadable(snippets.read(current.generation, { vectors }), current)
  if (await needsAnalysis(current, snippets)) return { statistics: yield* reanalyse(rows, signal) }
  const statistics = await snippets.packedStatistics(current.generation)
  if (!statistics) throw unreadable(current)
  yield* rows
  return { statistics, origins: await snippets.origins(current.generation) }
}

function withoutFirst(rows: SnippetRow[] | PackedRows, count: number): SnippetRow[] | PackedRows {
  const from = Math.min(rows.length, Math.max(0, count))
  return Array.isArray(rows) ? rows.slice(from) : sliceRows(rows, from)
}

/** True if content is in an older format than this program writes. Content in a newer format is not changed. */
export const isOldFormat = ({ format }: Pick<StoredVersion, 'format'>, snippets: Pick<SnippetStore, 'format'>): boolean =>
  format < snippets.format

/** True if the statistics must be rebuilt from the rows. */
export async function needsAnalysis(current: StoredVersion, snippets: SnippetStore): Promise<boolean> {
  if (isOldFormat(current, snippets)) return true
  try {
    return (await snippets.statistics(current.generation)) === undefined
  } catch (error) {
    // An AppError: the format is newer, or the content is quarantined.
    return !(error instanceof AppError)
  }
}

async function* orUnreadable(rows: AsyncIterable<SnippetRow[]>, current: StoredVersion): AsyncGenerator<SnippetRow[]> {
  try {
    yield* rows
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(current, error)
  }
}

const unreadable = ({ ref }: StoredVersion, cause?: unknown): AppError =>
  new AppError('not_found', `The content of ${ref} cannot be read; refresh the library, or import it again.`, { cause })
