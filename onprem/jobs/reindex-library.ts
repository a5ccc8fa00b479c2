import { createHash } from 'node:crypto'
import type { Embedder, VectorSpace } from '../../shared/ai/embedder.ts'
import { counted } from '../../shared/counted.ts'
import { AppError } from '../../shared/errors.ts'
import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import { type Embedding, embeddingStore } from '../../shared/parse/embedding-store.ts'
import { interruptibleStore } from '../../shared/parse/interruptible-store.ts'
import type { Outcome } from '../../shared/parse/job-run.ts'
import type { StoredVersion } from '../../shared/parse/parse-catalog.ts'
import type { JobReport } from '../../shared/parse/parse-job.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { ClaimedJob } from './job-store.ts'
import type { WorkProgress } from './work-progress.ts'

export type ReindexPorts = {
  catalog: ProjectCatalog
  snippets: SnippetStore
  embedding(): Embedding
  now(): Date
}
type Run = ReindexPorts & { job: ClaimedJob; progress: WorkProgress; signal: AbortSignal; report: JobReport }

/** Whether content must be copied to be compared with what the embedder answers. */
export const needsReindex = (space: VectorSpace | undefined, { model, dimensions }: Embedder): boolean =>
  space?.model !== model || (dimensions !== undefined && space.dimensions !== dimensions)

/**
 * Each version of a library → a copy of its generation with vectors of the embedder that is set now → switched to. What is served answers until
 * its copy is complete. A run that was interrupted is gone on with after its last stored batch: the copy is named after job and version.
 */
export async function reindexLibrary(
  ports: ReindexPorts,
  job: ClaimedJob,
  progress: WorkProgress,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const id = parseLibraryId(job.project)
  const versions = ports.catalog.versions(id)
  const main = versions.find(({ version }) => version === '') ?? versions[0]
  const report: JobReport = {
    filesRead: 0,
    skipped: [],
    snippetsBefore: main?.snippets ?? 0,
    snippetsAfter: main?.snippets ?? 0,
    tokens: versions.reduce((sum, { tokens }) => sum + tokens, 0),
    durationMs: 0,
    textsEmbedded: job.report?.textsEmbedded ?? 0,
    llmTokens: job.report?.llmTokens ?? 0,
  }
  const reported = () => ({ ...report, durationMs: ports.now().getTime() - began })
  // What is under way ends with the run, however that ends.
  const ending = new AbortController()
  const run = { ...ports, job, progress, signal: AbortSignal.any([signal, ending.signal]), report }
  try {
    const embedding = ports.embedding()
    const { embedder } = embedding
    if (!embedder) throw new AppError('validation_error', 'No embedding provider is set; there is nothing to index again.')
    for (const held of versions) if (needsReindex(held.space, embedder)) await copy(run, held, embedding)
    return { report: reported() }
  } catch (error) {
    return { error, report: reported() }
  } finally {
    ending.abort()
  }
}

async function copy(run: Run, held: StoredVersion, embedding: Embedding): Promise<void> {
  const { catalog, snippets, job, progress, signal, report } = run
  const id = parseLibraryId(job.project)
  const generation = `g${job.id}-${createHash('sha256').update(held.version).digest('hex').slice(0, 12)}`
  catalog.reserve(generation, job.id)
  const statistics = await snippets.packedStatistics(held.generation)
  if (!statistics) throw unreadable(held)
  const store = embeddingStore(interruptibleStore(run, signal), embedding, libraryKey(id), signal)
  try {
    const writer = await store.write(generation)
    const counting = progress.counting('Embedding snippets', held.snippets)
    let done = 0
    for await (const rows of snippets.read(held.generation)) {
      signal.throwIfAborted()
      await writer.add(rows.slice(Math.max(0, writer.written - done)))
      done += rows.length
      counting.done(done)
    }
    counting.indexing()
    await writer.finish(statistics)
    signal.throwIfAborted()
    catalog.replace(id, held, { generation, space: store.space() })
    const name = held.version || held.ref || job.project
    progress.say(`${name}: ${counted(store.textsEmbedded(), 'text')} embedded for ${counted(done, 'snippet')}.`)
  } finally {
    report.textsEmbedded += store.textsEmbedded()
  }
}

const unreadable = ({ ref }: StoredVersion): AppError =>
  new AppError('not_found', `The content of ${ref} cannot be read; parse or import the library again.`)
