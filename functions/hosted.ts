import type { Log } from '../shared/log.ts'
import type { GitAccess } from '../shared/reading/git/git-access.ts'
import type { GitHosts } from '../shared/reading/git/repo-address.ts'
import type { Questions } from '../shared/search/questions.ts'
import type { SnippetStore } from '../shared/search/snippet-store.ts'
import type { AnsweredRequest } from '../shared/usage/record-usage.ts'
import type { Licenses } from './access/licenses.ts'
import type { Teamspaces } from './access/teamspaces.ts'
import type { BundleRequest, BundleStatusStore } from './bundles/bundle-status.ts'
import type { ExportLimits } from './bundles/export-library.ts'
import type { NamedLibraries } from './catalog/catalog-snapshot.ts'
import type { HostedCatalog } from './catalog/hosted-catalog.ts'
import type { Replayed } from './counting/replay-batch.ts'
import type { HostedCounters } from './dynamo/counters/dynamo-counters.ts'
import type { HostedJobs } from './jobs/hosted-jobs.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import type { ObjectStore } from './objects/object-store.ts'

/** Everything that a surface of the hosted half may reach for. */
export type Hosted = {
  version: string
  /** By `performance.now()`, which no change of the clock moves. */
  startedAtMs: number
  now(): Date
  log: Log
  /** The truth about libraries; one is read by its id. */
  catalog: HostedCatalog
  /** All libraries, as the snapshot in memory has them. */
  names: NamedLibraries
  /** Has searches see what has changed. */
  publishNames(): Promise<void>
  snippets: SnippetStore
  questions: Pick<Questions, 'inTurn'>
  objects: ObjectStore
  jobs: HostedJobs
  /** Has a queued job taken up. */
  queue: JobQueue
  bundles: BundleStatusStore
  /** Has a zip built in the background. */
  runBundle(request: BundleRequest): Promise<void>
  teamspaces: Teamspaces
  licenses: Licenses
  /** Public keys that sign licenses, in PEM. */
  publicPems(): Promise<readonly string[]>
  counters: HostedCounters
  /** What replays of logs have counted. */
  replayed: Replayed
  /** Counts an answered request; never throws and never takes long. */
  record(request: AnsweredRequest): Promise<void>
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** For one question to a git host. */
  probeMs: number
  /** Of the export. */
  limits: ExportLimits
  /** Whether the stores answer. */
  ready(): Promise<boolean>
  /** What the Router proves itself with; undefined where none stands in front. */
  originSecrets: readonly string[] | undefined
  /** True where only this machine can reach the server: Host is checked then. */
  loopback: boolean
}
