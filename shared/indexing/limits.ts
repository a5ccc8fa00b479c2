import { availableParallelism } from 'node:os'
import type { JobLlmLimits } from '../ai/job-llm.ts'
import type { DiscoverLimits } from '../reading/discover/discover.ts'
import type { ListLimits } from '../reading/discover/list-files.ts'
import type { FetchLimits } from '../reading/git/fetch-git.ts'
import type { ReadLimits } from '../reading/reader-pool.ts'

/** What one parse may cost. */
export type IndexingLimits = {
  clone: FetchLimits
  documents: DiscoverLimits
  list: ListLimits
  read: ReadLimits
  /** What one job may ask of a language model. */
  llm: JobLlmLimits
  /** For reading and indexing one version of a library. */
  indexMs: number
  /** For one question to a git host. */
  probeMs: number
  /** Pauses before the second, third … attempt of a job whose failure may pass by itself. */
  retryPausesMs: number[]
}

export type Limits = IndexingLimits & {
  /** Before stores that cannot be opened are tried again; doubled each time, up to a minute. */
  reopenMs: number
  /** For the vector of a question, before text alone answers it. */
  embedQuestionMs: number
  /** For a language model to say which snippets answer a question. */
  rerankMs: number
  /** For the hosted service, before an install answers without it. */
  hostedMs: number
  /** Content stays this long after its library was switched: another reader may still hold the old pointer. */
  retiredMs: number
}

const mb = 1024 * 1024
const minute = 60_000

/** What one repository may cost. Each refusal names its limit. */
export const limits: Limits = {
  clone: { cloneBytes: 2048 * mb, files: 1_000_000, fileBytes: 10 * mb, timeMs: 30 * minute, idleMs: minute },
  documents: { fileBytes: 10 * mb, files: 100_000 },
  list: { timeMs: 10 * minute, heapMb: 512 },
  read: { workers: Math.min(4, Math.max(1, availableParallelism())), timeMs: 20_000, heapMb: 256, threadBytes: mb },
  llm: { jobTokens: 1_000_000, jobMs: 30 * minute },
  indexMs: 60 * minute,
  probeMs: 20_000,
  reopenMs: 1_000,
  embedQuestionMs: 800,
  rerankMs: 3_000,
  hostedMs: 1_500,
  retryPausesMs: [5_000, 15_000, 45_000],
  retiredMs: 10 * minute,
}
