import type { Embedder } from '../../shared/ai/embedder.ts'
import type { Vectors } from '../../shared/ai/vectors.ts'
import { type Embedding, leftOutSnippets } from '../../shared/indexing/embedding/embedding-store.ts'
import type { JobReport } from '../../shared/indexing/index-job.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import type { Outcome } from '../../shared/indexing/job-run.ts'
import { firstSkipped } from '../../shared/indexing/report-draft.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { ClaimedJob } from '../store/jobs/job.ts'
import { type CopyPorts, type CopySignals, copyGeneration, needsAnalysis } from './copy-generation.ts'
import type { WorkProgress } from './work-progress.ts'

export type ReindexPorts = CopyPorts & {
  /** The embedding that the settings name now. */
  embedding(): Embedding | undefined
  vectors: Pick<Vectors, 'leftOut'>
  now(): Date
}
type ReindexJob = Extract<ClaimedJob, { kind: 'reindex' }> & { library: LibraryId }
type Run = ReindexPorts & { job: ReindexJob }

/** The number of snippets of a version to embed before all of it can be compared with vectors of the embedder. */
export function missingVectors(
  { generation, space, snippets }: Pick<StoredVersion, 'generation' | 'space' | 'snippets'>,
  embedder: Pick<Embedder, 'model' | 'dimensions'> | undefined,
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
 * after job and content.
 */
export async function reindexLibrary(
  ports: ReindexPorts,
  job: ReindexJob,
  progress: WorkProgress,
  { signal, pause }: CopySignals,
): Promise<Outcome> {
  const began = ports.now().getTime()
  const run = { ...ports, job }
  const versions = ports.catalog.versions(job.library)
  const total = versions.reduce((sum, { snippets }) => sum + snippets, 0)
  let { textsEmbedded } = job.spent
  const reported = (): JobReport => ({
    filesRead: 0,
    skipped: leftOutByJob(run),
    snippetsBefore: total,
    snippetsAfter: total,
    tokens: versions.reduce((sum, { tokens }) => sum + tokens, 0),
    durationMs: ports.now().getTime() - began,
    textsEmbedded,
    llmTokens: 0,
    versions: versions.map(({ version, snippets, tokens }) => ({ version, filesRead: 0, snippets, tokens, skipped: 0 })),
  })
  // Aborts pending work when the run ends, for any reason.
  const ending = new AbortController()
  const signals = { signal: AbortSignal.any([signal, ending.signal]), pause }
  try {
    const due = await dueVersions(run)
    const counting = progress.counting(
      'Starting',
      due.reduce((sum, { snippets }) => sum + snippets, 0),
    )
    let counted = 0
    for (const current of due) {
      for (let isCopied = false; !isCopied; ) {
        const before = textsEmbedded
        const onEmbedded = (texts: number) => {
          textsEmbedded = before + texts
          progress.spent({ textsEmbedded })
        }
        const embedding = () => embeddingFor(run, current)
        isCopied = await copyGeneration({ ...run, ...signals, current, embedding, progress, counted, counting, onEmbedded })
      }
      counted += current.snippets
    }
    return { report: reported() }
  } catch (error) {
    return { error, report: reported() }
  } finally {
    ending.abort()
  }
}

/** The versions to copy, one for each generation. A copy of this job is complete, also if the provider made no vector of some snippets. */
async function dueVersions(run: Run): Promise<StoredVersion[]> {
  const due: StoredVersion[] = []
  for (const each of distinctContent(run)) {
    if (isCopy(run, each) && each.space?.model === run.embedding()?.embedder.model) continue
    if (embeddingFor(run, each) || (await needsAnalysis(each, run.snippets))) due.push(each)
  }
  return due
}

/** The first version of each generation. */
function distinctContent({ catalog, job }: Run): StoredVersion[] {
  const versions = catalog.versions(job.library)
  return versions.filter((each, at) => versions.findIndex(({ generation }) => generation === each.generation) === at)
}

const isCopy = ({ job }: Run, { generation }: StoredVersion): boolean => generation.startsWith(`g${job.id}-`)

/** Undefined if the version keeps its vectors. */
function embeddingFor({ embedding, job, vectors }: Run, version: StoredVersion): Embedding | undefined {
  const wanted = job.request.keepVectors ? undefined : embedding()
  return wanted && missingVectors(version, wanted.embedder, vectors) > 0 ? wanted : undefined
}

/** The snippets of which the provider made no vectors, in the copies that are served. */
function leftOutByJob(run: Run): JobReport['skipped'] {
  const { job, vectors } = run
  if (job.request.keepVectors) return []
  const copies = distinctContent(run).filter((each) => isCopy(run, each))
  const leftOut = copies.flatMap(({ version, generation }) => {
    const prefix = version === '' ? '' : `@${version}/`
    return leftOutSnippets(vectors, generation).map(({ path, reason }) => ({ path: `${prefix}${path}`, reason }))
  })
  return firstSkipped(leftOut)
}
