import type { JobLlm } from '../ai/job-llm.ts'
import type { AnswerStore } from '../ai/known-answers.ts'
import type { Llm } from '../ai/llm.ts'
import type { LibraryId } from '../library.ts'
import type { HostRules } from '../network/allowed-hosts.ts'
import type { FolderLink } from '../reading/discover/folders-through-links.ts'
import type { ProjectSettings } from '../reading/discover/read-project-file.ts'
import type { Skipped } from '../reading/discover/skipped.ts'
import type { Submodule } from '../reading/discover/submodule.ts'
import type { BlobIds } from '../reading/git/blob-ids.ts'
import type { GitAccess } from '../reading/git/git-access.ts'
import type { GitHosts } from '../reading/git/git-hosts.ts'
import type { RepoAddress } from '../reading/git/repo-address.ts'
import type { RepositoryState } from '../reading/git/repository-facts.ts'
import type { OpenedSource, SourceTree } from '../reading/opened-source.ts'
import type { ReaderPool } from '../reading/reader-pool.ts'
import type { ConfluenceCredentials } from '../schemas/confluence-site.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import type { StoredUploads } from '../sources/uploads/stored-upload.ts'
import type { Clones } from './clones.ts'
import type { Embedding } from './embedding/embedding-store.ts'
import type { IndexJob, JobReport, Spent } from './index-job.ts'
import type { IndexingCatalog, NewVersion } from './indexing-catalog.ts'
import type { IndexingLimits } from './limits.ts'
import type { IndexProgress, IndexReport } from './pages/index-report.ts'
import type { ReportDraft } from './report-draft.ts'

export type IndexingPorts = {
  catalog: IndexingCatalog
  snippets: SnippetStore
  /** The embedding that the settings name now, whose known vectors are used; absent for a half without embeddings. */
  embedding?: () => Embedding | undefined
  /** The git hosts that the settings allow now. */
  gitHosts(): GitHosts
  /** The token of a host, by its name. */
  gitToken(host: string): string | undefined
  /** A token of the GitHub App of a host for one repository. Undefined if the host has no app; absent for a half without apps. */
  appToken?(address: RepoAddress, signal: AbortSignal): Promise<string | undefined>
  /** Throws if a repository that has moved may not be read under the id of its old address. */
  rejectMoved?(from: RepoAddress, to: RepoAddress): void
  gitAccess: Omit<GitAccess, 'token'>
  /** True if the API of a git host is asked for the facts of a repository. */
  asksForFacts(): boolean
  /** The hosts of sources that are no git repositories. */
  sourceHosts: HostRules
  /** The stored credentials of a Confluence site, by its address; absent for a half that stores none. */
  confluenceCredentials?: ((site: string) => ConfluenceCredentials | undefined) | undefined
  /** Uploaded files; absent for a process that reads none. */
  uploads?: StoredUploads | undefined
  clones: Pick<Clones, 'make' | 'discard'>
  /** The folder for the pages of a website or a Confluence space until they are read again; absent for a half that keeps none. */
  pageCopies?: ((library: LibraryId) => string) | undefined
  /** The language model that the settings name now, with all stored answers; absent for a half without language models. */
  llm?: { model(): Llm | undefined; answers: AnswerStore }
  limits: IndexingLimits
  now(): Date
}

export type JobProgress = {
  log(line: string): void
  stage(message: string): void
  /** Stores usage immediately, so that a crash does not lose it. Undefined if the job uses no provider. */
  spent?(figures: Partial<Spent>): void
  /** Progress of one version; '' is the default content. Each of the `suspects` is read in a separate process, and no other file meanwhile. */
  reading(version: string): IndexProgress & { suspects: ReadonlySet<string> }
}

/** The parts that the steps of one run share. */
export type JobRun = Omit<IndexingPorts, 'embedding' | 'llm'> & {
  source: OpenedSource
  /** Facts of the repository; undefined for other sources. */
  repository: RepositoryState | undefined
  embedding: Embedding | undefined
  job: IndexJob
  progress: JobProgress
  draft: ReportDraft
  signal: AbortSignal
  readers: ReaderPool
  /** The language model; undefined if none is set. */
  llm: { ask: JobLlm; answers: AnswerStore } | undefined
  /** Folder of this run, deleted when it ends. */
  folder: string
}

/** The files of a version on disk, below `folder`. */
export type Fetched = {
  folder: string
  dir: string
  commit: string
  /** ISO 8601. */
  commitDate: string | undefined
  ref: string
  skipped: Skipped[]
  ids: BlobIds | undefined
  links: FolderLink[]
  submodules: Submodule[]
  project: ProjectSettings
} & Pick<SourceTree, 'urls' | 'about'>

/** A version that is ready to be served. */
export type Content = {
  version: NewVersion
  report: IndexReport
  skipped: Skipped[]
}

/** The end of a run. A failed run has a report if it came that far. */
export type Outcome = { report: JobReport; error?: never } | { error: unknown; report?: JobReport }

/** Progress message of a job that reads a version; '' is the default content. */
export const readingMessage = (version: string): string =>
  version === '' ? 'Reading files' : `Reading files of version ${version}`
