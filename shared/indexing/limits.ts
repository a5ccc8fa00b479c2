import { availableParallelism } from 'node:os'
import type { JobLlmLimits } from '../ai/job-llm.ts'
import type { DiscoverLimits } from '../reading/discover/discover.ts'
import type { ListLimits } from '../reading/discover/list-files.ts'
import type { FetchLimits } from '../reading/git/fetch-git.ts'
import type { ReadLimits } from '../reading/reader-pool.ts'

/** Limits of one parse. */
export type IndexingLimits = {
  clone: FetchLimits
  documents: DiscoverLimits
  list: ListLimits
  read: ReadLimits
  /** The limits per job. */
  llm: JobLlmLimits
  /** Time limit for reading and indexing one version of a library. */
  indexMs: number
  /** Time limit for one request to a git host. */
  probeMs: number
  /** Pauses before the second, third, … attempt of a job with a transient failure. */
  retryPausesMs: number[]
}

export type Limits = IndexingLimits & {
  /** Pause before opening failed stores again; doubled each time, up to a minute. */
  reopenMs: number
  /** The interval between two searches for libraries that are due to be compared with their repositories. */
  refreshCheckMs: number
  /** The interval between two checks of the disk while jobs wait for space. */
  diskCheckMs: number
  /** Time limit for the vector of a question; after that, only text is searched. */
  embedQuestionMs: number
  /** Time limit for a language model to rerank the snippets of a question. */
  rerankMs: number
  /** Time limit for the hosted service; after that, an install responds without it. */
  hostedMs: number
  /** The time that old content stays after a switch: a search may still use the old pointer. */
  retiredMs: number
  /** A backup whose reader takes nothing for this long fails, so that the next one can begin. */
  maxBackupPauseMs: number
}

const mb = 1024 * 1024
const minute = 60_000

/** Limits of one repository. Each error names the limit that was exceeded. */
export const limits: Limits = {
  clone: { cloneBytes: 2048 * mb, files: 1_000_000, fileBytes: 10 * mb, timeMs: 30 * minute, idleMs: minute },
  documents: { fileBytes: 10 * mb, files: 100_000 },
  list: { timeMs: 10 * minute, heapMb: 512 },
  read: { workers: Math.min(4, availableParallelism()), timeMs: 20_000, heapMb: 256, threadBytes: mb },
  llm: { jobTokens: 1_000_000, jobMs: 30 * minute },
  indexMs: 60 * minute,
  probeMs: 20_000,
  reopenMs: 1_000,
  refreshCheckMs: minute,
  diskCheckMs: 5_000,
  embedQuestionMs: 800,
  rerankMs: 3_000,
  hostedMs: 1_500,
  retryPausesMs: [5_000, 15_000, 45_000],
  retiredMs: 10 * minute,
  maxBackupPauseMs: 5 * minute,
}

export type PreviewLimits = { cloneBytes: number; timeMs: number; maxRunning: number; maxWaiting: number; maxWaitMs: number }

/** The disk holds at most `maxRunning` downloads of `cloneBytes` and their unpacked files, which have the same limit. */
export const previewLimits: PreviewLimits = {
  cloneBytes: 512 * 2 ** 20,
  timeMs: 2 * 60_000,
  maxRunning: 2,
  maxWaiting: 10,
  maxWaitMs: 30_000,
}
