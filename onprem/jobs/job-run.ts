import type { ProjectSettings } from '../../shared/ingest/discover/project-file.ts'
import type { GitAccess } from '../../shared/ingest/git/git-access.ts'
import type { Remote } from '../../shared/ingest/git/probe-git.ts'
import type { GitHosts, Platform } from '../../shared/ingest/git/repo-address.ts'
import type { IngestProgress, IngestReport, Skipped } from '../../shared/ingest/ingest.ts'
import type { SplitPool } from '../../shared/ingest/split-pool.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { Limits } from '../limits.ts'
import type { Clones } from '../store/clones.ts'
import type { NewVersion, ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { JobReport } from './job.ts'
import type { Tally } from './job-report.ts'
import type { ClaimedJob } from './job-store.ts'

export type ParsePorts = {
  catalog: ProjectCatalog
  snippets: SnippetStore
  /** Where git may go, as the settings say now. */
  gitHosts(): GitHosts
  gitToken(platform: Platform): string | undefined
  gitAccess: Omit<GitAccess, 'token'>
  clones: Pick<Clones, 'make' | 'discard'>
  limits: Limits
  now(): Date
}

export type JobProgress = {
  say(line: string): void
  stage(message: string): void
  /** Of one version; '' is the default content. `suspects` are files that are read last and alone. */
  reading(version: string): IngestProgress & { suspects: ReadonlySet<string> }
}

/** A repository that answered, and the token that it takes. */
export type Remoted = { remote: Remote; token: string | undefined }

/** What one run of a job works with. */
export type Run = ParsePorts &
  Remoted & {
    job: ClaimedJob
    /** The library that is written, whatever the repository is called where it lies now. */
    id: LibraryId
    progress: JobProgress
    tally: Tally
    signal: AbortSignal
    splits: SplitPool
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
  report: IngestReport
  /** For the report of the job. */
  skipped: Skipped[]
}

/** How a run ended; one that failed has a report too where it came that far. */
export type Outcome = { report: JobReport; error?: never } | { error: unknown; report?: JobReport }
