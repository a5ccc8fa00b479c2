import type { ProjectSettings } from '../../shared/ingest/discover/project-file.ts'
import type { GitAccess } from '../../shared/ingest/git/git-access.ts'
import type { Remote } from '../../shared/ingest/git/probe-git.ts'
import type { GitHosts } from '../../shared/ingest/git/repo-address.ts'
import type { IngestProgress, IngestReport, Skipped } from '../../shared/ingest/ingest.ts'
import type { SplitPool } from '../../shared/ingest/split-pool.ts'
import type { LibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/snippet-store.ts'
import type { Limits } from '../limits.ts'
import type { NewVersion, ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { ClaimedJob } from './job-store.ts'

export type ParsePorts = {
  catalog: ProjectCatalog
  snippets: SnippetStore
  /** Where git may go, as the settings say now. */
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** Folder for clones. */
  clones: string
  limits: Limits
  now(): Date
}

export type JobProgress = IngestProgress & {
  say(line: string): void
  stage(message: string): void
  /** Files that are read last and alone. */
  suspects: ReadonlySet<string>
}

/** What one run of a job works with. */
export type Run = ParsePorts & {
  job: ClaimedJob
  /** The library that is written, whatever the repository is called where it lies now. */
  id: LibraryId
  progress: JobProgress
  signal: AbortSignal
  splits: SplitPool
  remote: Remote
  token: string | undefined
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
export type Content = { version: NewVersion; report: IngestReport }
