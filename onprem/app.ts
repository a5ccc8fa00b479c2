import type { BlockList } from 'node:net'
import type { Ai } from '../shared/ai/ai.ts'
import type { AiRuntime } from '../shared/ai/ai-runtime.ts'
import type { Vectors } from '../shared/ai/vectors.ts'
import type { UnnamedProxies } from '../shared/http/unnamed-proxies.ts'
import type { Limits } from '../shared/indexing/limits.ts'
import type { PreviewParse } from '../shared/indexing/preview-repository.ts'
import type { License } from '../shared/keys/license.ts'
import type { ServerLog } from '../shared/log.ts'
import type { GitAccess } from '../shared/reading/git/git-access.ts'
import type { GitHealth } from '../shared/reading/git/git-health.ts'
import type { GitHosts, Platform } from '../shared/reading/git/git-hosts.ts'
import type { PublicUrl } from '../shared/schemas/public-url.ts'
import type { EmbedQuestion } from '../shared/search/question/embed-question.ts'
import type { QuestionQueue } from '../shared/search/question/question-queue.ts'
import type { Rerank } from '../shared/search/reranking/rerank.ts'
import type { SnippetStore } from '../shared/search/rows/snippet-store.ts'
import type { SettingsStore } from '../shared/store/settings-store.ts'
import type { FairLimit } from '../shared/time/fair-limit.ts'
import type { Counters } from '../shared/usage/counters.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { Attempts } from './accounts/attempts.ts'
import type { Atomically, AuditLog } from './accounts/audit-log.ts'
import type { Backoff } from './accounts/backoff.ts'
import type { CommandToken, KeyStore } from './accounts/key-store.ts'
import type { KnownHosts } from './accounts/known-hosts.ts'
import type { Passwords } from './accounts/passwords.ts'
import type { UserStore } from './accounts/user-store.ts'
import type { BackupStore } from './backup/backup-store.ts'
import type { Backups } from './backup/backups.ts'
import type { Cloud } from './cloud/cloud.ts'
import type { EventFeed } from './events/event-feed.ts'
import type { StreamLimit } from './events/stream-limit.ts'
import type { ImportFolder } from './import/import-folder.ts'
import type { JobWorker } from './jobs/job-worker.ts'
import type { Monitor } from './monitoring/monitor.ts'
import type { LaterGenerations } from './store/catalog/later-generations.ts'
import type { LibraryOwners } from './store/catalog/library-owners.ts'
import type { PublicLibraries } from './store/catalog/public-libraries.ts'
import type { ProjectCatalog } from './store/catalog/sqlite-catalog.ts'
import type { UnansweredQuestions } from './store/counters/unanswered-questions.ts'
import type { UsageFigures } from './store/counters/usage-figures.ts'
import type { Damage } from './store/data-dir/damage.ts'
import type { DiskGuard } from './store/data-dir/disk-guard.ts'
import type { JobStore } from './store/jobs/job-store.ts'
import type { SetupStore } from './store/setup-store.ts'
import type { RecentLog } from './support/recent-log.ts'
import type { StoreFacts } from './support/store-facts.ts'
import type { UsageBuffer } from './usage/usage-buffer.ts'

/** All ports of an install. Only the composition root, the server and tests use this type; each feature declares the ports it needs. */
export type App = {
  version: string
  /** The `performance.now()` of the start, which changes of the clock do not affect. */
  startedAtMs: number
  now(): Date
  log: ServerLog
  recentLog: Pick<RecentLog, 'lines'>
  storeFacts(): Promise<StoreFacts>
  monitor: Monitor
  /** Absolute path of the data directory. */
  dataDir: string
  license: License
  settings: SettingsStore
  setup: SetupStore
  keys: KeyStore
  commandToken: CommandToken
  users: UserStore
  accounts: Accounts
  passwords: Passwords
  signIns: Pick<FairLimit, 'run'>
  attempts: Attempts
  /** Slows down attempts to sign in. */
  backoff: Backoff
  /** The proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: BlockList
  unnamedProxies: UnnamedProxies
  audit: AuditLog
  /** Runs synchronous work as one transaction of the database. */
  atomically: Atomically
  owners: LibraryOwners
  knownHosts: KnownHosts
  ai: Ai
  /** Access to model providers, for testing settings that are not stored. */
  aiRuntime: AiRuntime
  questions: QuestionQueue
  embedQuestion: EmbedQuestion
  rerank: Rerank
  catalog: ProjectCatalog
  /** Stores as callers without a key or session see them while `permissions.hidePrivate` is on. */
  publicOnly: PublicLibraries
  snippets: SnippetStore
  laterGenerations: LaterGenerations
  damage: Damage
  vectors: Vectors
  jobs: JobStore
  disk: DiskGuard
  events: EventFeed
  /** Limits the streams of events. */
  streams: StreamLimit
  imports: ImportFolder
  backups: Backups
  backupStore: BackupStore
  /** The public keys that bundle signatures are checked with, as PEM: the vendor's, and those in the settings. */
  bundleKeys(): string[]
  worker: Pick<JobWorker, 'wake' | 'cancel'>
  previewParse: PreviewParse
  limits: Limits
  cloud: Cloud
  counters: Pick<Counters, 'read'>
  unanswered: UnansweredQuestions
  usageFigures: UsageFigures
  usage: Pick<UsageBuffer, 'record'>
  gitHosts(): GitHosts
  /** The stored token of a host. Throws data_damaged if it cannot be decrypted. */
  gitToken(platform: Platform): string | undefined
  git: GitHealth
  gitAccess: Omit<GitAccess, 'token'>
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** True if only this machine can reach the server: it listens on loopback, and PUBLIC_URL names no other host. */
  loopback: boolean
  /** The address that users see, if PUBLIC_URL is set. */
  publicUrl: PublicUrl | undefined
}
