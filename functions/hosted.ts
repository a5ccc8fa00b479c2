import type { ServerLog } from '../shared/log.ts'
import type { HostRules } from '../shared/network/allowed-hosts.ts'
import type { GitAccess } from '../shared/reading/git/git-access.ts'
import type { GitHosts } from '../shared/reading/git/git-hosts.ts'
import type { QuestionQueue } from '../shared/search/question/question-queue.ts'
import type { SnippetStore } from '../shared/search/rows/snippet-store.ts'
import type { AnsweredRequest } from '../shared/usage/record-usage.ts'
import type { Salts } from '../shared/usage/salts.ts'
import type { Audit } from './access/audit.ts'
import type { ConfluenceSites } from './access/confluence-sites.ts'
import type { Flows } from './access/flows.ts'
import type { GitTokens } from './access/git-tokens.ts'
import type { Invites } from './access/invites.ts'
import type { Licenses } from './access/licenses.ts'
import type { Mail } from './access/mail.ts'
import type { PlanRequests } from './access/plan-requests.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { RequestCounts } from './access/request-counts.ts'
import type { Sessions } from './access/sessions.ts'
import type { TeamPolicies } from './access/team-policies.ts'
import type { Teamspaces } from './access/teamspaces.ts'
import type { Users } from './access/users.ts'
import type { BundleStatusStore, RunBundle } from './bundles/bundle-status.ts'
import type { ExportLimits } from './bundles/export-library.ts'
import type { NamedLibraries } from './catalog/catalog-snapshot.ts'
import type { HostedCatalog } from './catalog/hosted-catalog.ts'
import type { Claims } from './claims/claims.ts'
import type { HostedCounters } from './counting/hosted-counters.ts'
import type { Replayed } from './counting/replay-batch.ts'
import type { Selections } from './exports/selections.ts'
import type { TeamExports } from './exports/team-exports.ts'
import type { LibraryChecks } from './freshness/library-checks.ts'
import type { HostedJobs, JobQueue } from './jobs/hosted-jobs.ts'
import type { ObjectStore, UploadLinks } from './objects/object-store.ts'
import type { Journal } from './recovery/journal.ts'
import type { RestoreContentPorts } from './recovery/restore-content.ts'
import type { OptOuts } from './takedown/opt-outs.ts'
import type { TakedownRequests } from './takedown/takedown-requests.ts'

/** Every port of the hosted half. Only composition roots, the server and tests use this type; a feature declares the ports that it needs. */
export type Hosted = {
  version: string
  /** The path of the program that sets up AI clients. */
  clientProgram: string
  /** The paths of the Markdown of `/terms` and `/privacy`. */
  texts: { terms: string; privacy: string }
  /** The `performance.now()` of the start, which does not jump when the clock is set. */
  startedAtMs: number
  now(): Date
  log: ServerLog
  /** The authoritative records of libraries, read by id. */
  catalog: HostedCatalog
  /** All libraries, from the snapshot in memory. */
  names: NamedLibraries
  /** Makes changes to the catalog visible to searches; `whole` reads the whole catalog again. */
  publishNames(how?: { whole: boolean }): Promise<void>
  snippets: SnippetStore
  questions: Pick<QuestionQueue, 'run'>
  objects: ObjectStore
  /** Uploads, which jobs read and which expire. */
  uploads: Pick<ObjectStore, 'get' | 'put'> & UploadLinks
  /** When libraries were compared with their repositories, and when they will be. */
  checks: LibraryChecks
  jobs: HostedJobs
  /** Wakes a worker for a queued job. */
  queue: JobQueue
  bundles: BundleStatusStore
  runBundle: RunBundle
  selections: Selections
  teamExports: TeamExports
  teamspaces: Teamspaces
  users: Users
  sessions: Sessions
  flows: Flows
  invites: Invites
  /** Undefined if no messages are sent. */
  mail: Mail | undefined
  requestCounts: RequestCounts
  gitTokens: GitTokens
  confluenceSites: ConfluenceSites
  /** Open claims to libraries. */
  claims: Claims
  planRequests: PlanRequests
  teamPolicies: TeamPolicies
  optOuts: OptOuts
  takedowns: TakedownRequests
  licenses: Licenses
  /** The changes that operators and members made. */
  audit: Audit
  /** Public keys in PEM that verify licenses. */
  publicPems(): Promise<readonly string[]>
  counters: HostedCounters
  salts: Pick<Salts, 'erase' | 'saltOf'>
  /** The acts of operators that a restore of the table must not undo. */
  journal: Journal
  /** Undefined if old versions of the content are not kept, as on one machine. */
  undeleteGeneration: RestoreContentPorts['undeleteGeneration'] | undefined
  /** Events that replays of logs have counted. */
  replayed: Replayed
  /** Records an answered request for usage counting. Never throws; takes at most 50 ms. */
  record(request: AnsweredRequest): Promise<void>
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  /** The hosts of websites and other sources that are no repositories. */
  sourceHosts: HostRules
  /** Time limit of one request to a git host or the host of another source. */
  probeMs: number
  limits: ExportLimits
  rateLimits: RateLimits
  /** True if the stores can be read. */
  ready(): Promise<boolean>
  /** Secrets that prove that a request came through the Router; undefined if there is no Router. */
  originSecrets: readonly string[] | undefined
  /** Counts a request that did not come through the Router. */
  onForeign(): void
  /** True if only this machine can reach the server. The Host header is checked then. */
  loopback: boolean
}
