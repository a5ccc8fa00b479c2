import { createHash } from 'node:crypto'
import type { Embedder } from '../../shared/ai/embedder.ts'
import type { Vectors } from '../../shared/ai/vectors.ts'
import { AppError } from '../../shared/errors.ts'
import { type Embedding, embeddingStore } from '../../shared/indexing/embedding/embedding-store.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { interruptibleStore } from '../../shared/indexing/interruptible-store.ts'
import type { Outcome } from '../../shared/indexing/job-run.ts'
import { reanalyse } from '../../shared/indexing/pages/reanalyse.ts'
import { firstSkipped } from '../../shared/indexing/report-draft.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import { sliceRows } from '../../shared/search/rows/pack-rows.ts'
import type { PackedRows, SnippetRow, SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import { pluralize } from '../../shared/text/figures.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import type { Counting, WorkProgress } from './work-progress.ts'

export type ReindexPorts = {
  catalog: InstallCatalog
  snippets: SnippetStore
  embedding(): Embedding
  vectors: Pick<Vectors, 'copy' | 'leftOut'>
  now(): Date
}
type ReindexJob = Extract<ClaimedJob, { kind: 'reindex' }> & { library: LibraryId }
type Run = ReindexPorts & { job: ReindexJob; progress: WorkProgress; signal: AbortSignal; report: JobReport }

/** `done`: snippets of the versions that were copied before. */
type Copying = Run & { counting: Counting; done: number }

type ServedContent = Pick<StoredVersion, 'generation' | 'space' | 'format'>

/** True if content is in an older format than this program writes. Content in a newer format is not changed. */
export const isOldFormat = ({ format }: Pick<ServedContent, 'format'>, snippets: Pick<SnippetStore, 'format'>): boolean =>
  format < snippets.format

/** The number of snippets of a version to embed before all of it can be compared with vectors of the embedder. */
export function missingVectors(
  { generation, space, snippets }: ServedContent & Pick<StoredVersion, 'snippets'>,
  embedder: Embedder | undefined,
  vectors: Pick<Vectors, 'leftOut'>,
): number {
  if (!embedder) return 0
  const isOther =
    space?.model !== embedder.model || (embedder.dimensions !== undefined && space.dimensions !== embedder.dimensions)
  return isOther ? snippets : vectors.leftOut(generation, 0).count
}

/**
 * Copies the generation of each version into the current format, with vectors of the configured embedder, then switches to the copy.
 * Content in an old format or with damaged statistics is analysed again. Nothing is fetched. Without an embedder the vectors are kept. The
 * old generation is served until its copy is complete. An interrupted run resumes after its last stored batch, because the copy is named
 * after job and version.
 */
export async function reindexLibrary(
  ports: ReindexPorts,
  job: ReindexJob,
  progress: WorkProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const versions = ports.catalog.versions(job.library)
  const total = versions.reduce((sum, { snippets }) => sum + snippets, 0)
  const report: JobReport = {
    filesRead: 0,
    skipped: [],
    snippetsBefore: total,
    snippetsAfter: total,
    tokens: versions.reduce((sum, { tokens }) => sum + tokens, 0),
    durationMs: 0,
    ...job.spent,
    versions: versions.map(({ version, snippets, tokens }) => ({ version, filesRead: 0, snippets, tokens, skipped: 0 })),
  }
  const reported = () => ({ ...report, durationMs: ports.now().getTime() - began })
  // Aborts pending work when the run ends, for any reason.
  const ending = new AbortController()
  const run = { ...ports, job, progress, signal: AbortSignal.any([signal, ending.signal]), report }
  try {
    const embedding = ports.embedding()
    const embedder = job.request.keepVectors ? undefined : embedding.embedder
    const shared = new Map(versions.toReversed().map((each) => [each.generation, each]))
    const due: StoredVersion[] = []
    for (const each of [...shared.values()].reverse())
      if (missingVectors(each, embedder, ports.vectors) > 0 || (await needsAnalysis(each, ports.snippets))) due.push(each)
    const counting = progress.counting(
      'Starting',
      due.reduce((sum, { snippets }) => sum + snippets, 0),
    )
    let done = 0
    for (const current of due) {
      await copy(
        { ...run, counting, done },
        current,
        missingVectors(current, embedder, ports.vectors) > 0 ? embedding : undefined,
      )
      done += current.snippets
    }
    return { report: reported() }
  } catch (error) {
    return { error, report: reported() }
  } finally {
    ending.abort()
  }
}

/** Keeps the vectors if `embedding` is absent. */
async function copy(run: Copying, current: StoredVersion, embedding: Embedding | undefined): Promise<void> {
  const { catalog, snippets, job, progress, counting, signal, report, vectors } = run
  const generation = `g${job.id}-${createHash('sha256').update(current.version).digest('hex').slice(0, 12)}`
  catalog.reserve(generation, job.id, current.version)
  const interruptible = interruptibleStore(run, signal)
  const embedded =
    embedding &&
    embeddingStore(interruptible, embedding, libraryKey(job.library), signal, (texts) =>
      progress.spent({ textsEmbedded: report.textsEmbedded + texts }),
    )
  try {
    const writer = await (embedded ?? interruptible).write(generation)
    const name = current.version || current.ref || job.project
    progress.stage(`${embedded ? 'Embedding snippets' : 'Rebuilding the index'} of ${name}`)
    const batches = rowsOf(run, current, embedded === undefined)
    let done = 0
    let next = await batches.next()
    try {
      for (; !next.done; next = await batches.next()) {
        signal.throwIfAborted()
        await writer.add(withoutFirst(next.value, writer.written - done))
        done += next.value.length
        counting.done(run.done + done)
      }
    } finally {
      await batches.return({ statistics: new Uint8Array() })
    }
    counting.indexing()
    await writer.finish(next.value.statistics, next.value.origins)
    if (!embedded) await vectors.copy(current.generation, generation)
    signal.throwIfAborted()
    const space = embedded ? embedded.space() : current.space
    catalog.replace(job.library, current, { generation, space, format: snippets.format })
    const outcome = embedded ? `${pluralize(embedded.textsEmbedded(), 'text')} embedded for` : 'the index was rebuilt for'
    progress.log(`${name}: ${outcome} ${pluralize(done, 'snippet')}.`)
    const leftOut = embedded?.leftOut() ?? []
    const prefix = current.version === '' ? '' : `@${current.version}/`
    report.skipped = firstSkipped([
      ...report.skipped,
      ...leftOut.map(({ path, reason }) => ({ path: `${prefix}${path}`, reason })),
    ])
  } finally {
    report.textsEmbedded += embedded?.textsEmbedded() ?? 0
  }
}

/** Yields the rows of a version in the current format and returns the rest of its content. Rows that are analysed again have no origins. */
async function* rowsOf(
  { snippets, signal }: Run,
  current: StoredVersion,
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

/** True if the statistics must be rebuilt from the rows. */
async function needsAnalysis(current: StoredVersion, snippets: SnippetStore): Promise<boolean> {
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
  new AppError('not_found', `The content of ${ref} cannot be read; parse or import the library again.`, { cause })
