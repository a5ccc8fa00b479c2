import type { JobLlm } from '../ai/job-llm.ts'
import type { AnswerBook } from '../ai/known-answers.ts'
import type { Llm } from '../ai/llm.ts'
import type { LibraryId } from '../library.ts'
import type { ProjectSettings } from '../reading/discover/read-project-file.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import type { GitAccess } from '../reading/git/git-access.ts'
import type { Remote } from '../reading/git/probe-git.ts'
import type { GitHosts, Platform } from '../reading/git/repo-address.ts'
import type { ReaderPool } from '../reading/reader-pool.ts'
import type { SnippetStore } from '../search/snippet-store.ts'
import type { Clones } from './clones.ts'
import type { Embedding } from './embedding-store.ts'
import type { IndexProgress, IndexReport } from './index-files.ts'
import type { IndexJob, JobReport, Spent } from './index-job.ts'
import type { IndexingCatalog, NewVersion } from './indexing-catalog.ts'
import type { IndexingLimits } from './limits.ts'
import type { ReportDraft } from './report-draft.ts'

export type IndexingPorts = {
  catalog: IndexingCatalog
  snippets: SnippetStore
  /** What rows are embedded with, as the settings say now; absent where nothing is. */
  embedding?: () => Embedding
  /** Where git may go, as the settings say now. */
  gitHosts(): GitHosts
  gitToken(platform: Platform): string | undefined
  gitAccess: Omit<GitAccess, 'token'>
  clones: Pick<Clones, 'make' | 'discard'>
  /** The language model that the settings name now, and what it and others have answered; absent where documents are taken as they are. */
  llm?: { model(): Llm | undefined; answers: AnswerBook }
  limits: IndexingLimits
  now(): Date
}

export type JobProgress = {
  log(line: string): void
  stage(message: string): void
  /** Stored at once, so that a crash does not lose it. Undefined if the job asks no provider. */
  spent?(figures: Partial<Spent>): void
  /** Of one version; '' is the default content. `suspects` are files that are read last and alone. */
  reading(version: string): IndexProgress & { suspects: ReadonlySet<string> }
}

/** A repository that answered, and the token that it takes. */
export type OpenRemote = { remote: Remote; token: string | undefined }

/** What one run of a job works with. */
export type JobRun = Omit<IndexingPorts, 'embedding' | 'llm'> &
  OpenRemote & {
    embedding: Embedding | undefined
    job: IndexJob
    /** The library that is written, whatever the repository is called where it lies now. */
    id: LibraryId
    progress: JobProgress
    draft: ReportDraft
    signal: AbortSignal
    readers: ReaderPool
    /** Undefined where none is set. */
    llm: { ask: JobLlm; answers: AnswerBook } | undefined
    /** Its own folder, gone when the run ends. */
    folder: string
  }

/** A version's files on disk, below `folder`. */
export type Fetched = {
  folder: string
  dir: string
  commit: string
  ref: string
  skipped: Skipped[]
  project: ProjectSettings
}

/** A version that is written and ready to be served. */
export type Content = {
  version: NewVersion
  report: IndexReport
  /** For the report of the job. */
  skipped: Skipped[]
}

/** How a run ended; one that failed has a report too where it came that far. */
export type Outcome = { report: JobReport; error?: never } | { error: unknown; report?: JobReport }
