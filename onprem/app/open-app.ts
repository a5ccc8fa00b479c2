import type { BlockList } from 'node:net'
import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import type { AskProvider } from '../../shared/ai/ask-provider.ts'
import { type RefusedConnections, refusedConnections } from '../../shared/http/refused-connections.ts'
import { type UnnamedProxies, unnamedProxies } from '../../shared/http/unnamed-proxies.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import type { License } from '../../shared/keys/license.ts'
import type { Log, ServerLog } from '../../shared/log.ts'
import { logProgress } from '../../shared/logging/show-progress.ts'
import { isLoopbackHost } from '../../shared/network/private-address.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { type QuestionQueue, questionQueue } from '../../shared/search/question/question-queue.ts'
import { secretBox } from '../../shared/settings/secret-box.ts'
import { transaction } from '../../shared/store/database.ts'
import { type SettingsStore, sqliteSettings } from '../../shared/store/settings-store.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import type { Atomically } from '../accounts/audit-log.ts'
import { checkSessionSecret } from '../accounts/session-secret.ts'
import { type UndoableDeletions, undoableDeletions } from '../actions/undoable-deletions.ts'
import { type BackupStore, backupStore } from '../backup/backup-store.ts'
import { type Backups, openBackups } from '../backup/backups.ts'
import { type Cloud, openCloud } from '../cloud/cloud.ts'
import { hostedClient } from '../cloud/hosted-client.ts'
import { policies } from '../cloud/policies.ts'
import { sqlitePolicy } from '../cloud/policy-store.ts'

import type { Config } from '../config.ts'
import { type Gitops, gitops } from '../declared/gitops.ts'
import { type EventFeed, eventFeed } from '../events/event-feed.ts'
import { type StreamLimit, streamLimit } from '../events/stream-limit.ts'
import { type AuditForwards, forwardAudit } from '../forwarding/forward-audit.ts'
import { sqliteForwards } from '../forwarding/forward-store.ts'
import { type ReadersLoop, readersLoop } from '../freshness/ask-readers.ts'
import { type HookStore, sqliteHooks } from '../hooks/hook-store.ts'
import { queueWaitingRefreshes } from '../hooks/queue-refresh.ts'
import { type ModelStore, modelStore } from '../models/model-store.ts'
import { diskUse } from '../monitoring/disk-use.ts'
import { instruments } from '../monitoring/instruments.ts'
import { measureRuns } from '../monitoring/measure-runs.ts'
import { type Monitor, monitor } from '../monitoring/monitor.ts'
import { storeCounts } from '../monitoring/store-counts.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { type Issuers, openIssuers } from '../sso/issuers.ts'
import { type SignInFlows, signInFlows } from '../sso/sign-in-flows.ts'
import { type AgentRequests, agentRequests } from '../store/agent-requests.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import { type Damage, trackDamage } from '../store/data-dir/damage.ts'
import { type DataPaths, dataPaths } from '../store/data-dir/data-paths.ts'
import { type DiskGuard, diskGuard } from '../store/data-dir/disk-guard.ts'
import type { DiskReserve } from '../store/data-dir/disk-reserve.ts'
import { type DeclaredStore, declaredStore } from '../store/declared/declared-store.ts'
import { type GitopsRuns, gitopsRuns } from '../store/declared/gitops-runs.ts'
import { type NamedSecrets, namedSecrets } from '../store/declared/named-secrets.ts'
import { type SetupStore, sqliteSetup } from '../store/setup-store.ts'
import { type SigningKey, sqliteSigningKey } from '../store/signing-key.ts'
import type { RecentLog } from '../support/recent-log.ts'
import { type StoreFacts, storeFacts } from '../support/store-facts.ts'
import type { EdgePorts } from './edge-ports.ts'
import { type AccountPorts, openAccounts } from './open-accounts.ts'
import { type ContentPorts, openContent } from './open-content.ts'
import { type JobPorts, type OpenedJobs, openJobs } from './open-jobs.ts'
import { type LicensePorts, openLicense } from './open-license.ts'
import { type ModelPorts, openModels } from './open-models.ts'
import { openNotifications } from './open-notifications.ts'
import { openUsage, type UsagePorts } from './open-usage.ts'

/** All ports of an install. Only the composition root, the server and tests use this type; each feature declares the ports it needs. */
export type App = InstallPorts & LicensePorts & AccountPorts & ContentPorts & ModelPorts & JobPorts & UsagePorts

type InstallPorts = {
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
  settings: SettingsStore
  setup: SetupStore
  signingKey: SigningKey
  notifications: Notifications
  auditForwards: AuditForwards
  agents: AgentRequests
  issuers: Issuers
  signInFlows: SignInFlows
  /** Runs synchronous work as one transaction of the database. */
  atomically: Atomically
  /** The proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: BlockList
  unnamedProxies: UnnamedProxies
  refused: RefusedConnections
  limits: Limits
  damage: Damage
  paths: DataPaths
  disk: DiskGuard
  deletions: UndoableDeletions
  events: EventFeed
  hooks: HookStore
  /** Limits the streams of events. */
  streams: StreamLimit
  questions: QuestionQueue
  backups: Backups
  backupStore: BackupStore
  modelStore: ModelStore
  cloud: Cloud
  declared: DeclaredStore
  secrets: NamedSecrets
  gitops: Gitops
  gitopsRuns: GitopsRuns
  readersLoop: ReadersLoop
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** True if only this machine can reach the server: it listens on loopback, and PUBLIC_URL names no other host. */
  loopback: boolean
  /** The address that users see, if PUBLIC_URL is set. */
  publicUrl: PublicUrl | undefined
}

/** The open databases of an install, and what all its parts share. */
export type OpenAppInput = EdgePorts & {
  config: Config
  env: Record<string, string | undefined>
  log: RecentLog
  /** A log for lines that must not be in the support bundle. */
  plainLog: Log
  /** Absolute path of the data directory. */
  dataDir: string
  db: DatabaseSync
  vectorsDb: DatabaseSync
  reserve: DiskReserve
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** True if outdated content is rebuilt while no job is queued. */
  rebuilds: boolean
}

export type OpenedApp = Pick<OpenedJobs, 'worker' | 'checkLibraries' | 'clones' | 'sweep'> & {
  app: App
  /** A sentence about the license, for the log. */
  note: string | undefined
  /** Queues the refreshes of webhooks that waited for a job. */
  queueWaiting(): Promise<void>
  closeUsage(): Promise<void>
}

/** Creates the ports of an install, part by part. Throws AppError if it cannot start. */
export async function openApp(opening: OpenAppInput): Promise<OpenedApp> {
  const { config, env, dataDir, db, log, plainLog, limits, now, diskSpace, stopping } = opening
  const { HOST, PUBLIC_URL: publicUrl, TRUSTED_PROXIES: trustedProxies } = config
  const version = packageVersion()
  // A proxy on this machine lets others reach a server on loopback.
  const loopback = isLoopbackHost(HOST) && (publicUrl === undefined || isLoopbackHost(publicUrl.hostname))
  const box = secretBox(dataDir)
  const settings = sqliteSettings(db, box)
  const { note, ...licensed } = await openLicense({ ...opening, settings })
  const { license } = licensed
  const accounts = await openAccounts({ ...opening, settings, loopback })
  const events = eventFeed()
  const appInstruments = instruments()
  const damage = trackDamage(() => checkSessionSecret(dataDir))
  const paths = dataPaths(dataDir)
  const disk = diskGuard({ settings, space: () => diskSpace(dataDir) })
  const runs = measureRuns(appInstruments, opening.showProgress ?? logProgress(plainLog))
  const network = { env, caFile: config.NODE_EXTRA_CA_CERTS }
  const opened = { ...opening, settings, events, instruments: appInstruments, damage, paths, disk, network, publicUrl }
  const notifications = openNotifications(opened)
  const shared = { ...opened, notifications }
  const content = openContent(shared)
  approveLocalModel(settings, content.catalog, damage)
  const models = openModels(shared)
  const jobs = openJobs({
    ...shared,
    libraryRules: accounts.libraryRules,
    content,
    ai: models.ai,
    showProgress: runs.showProgress,
    jobEnded: () => void queueWaiting(),
  })
  const cloud = openHosted(opening, license, models.aiRuntime.ask)
  const usage = openUsage({ ...opening, settings })
  const { maxBackupPauseMs: maxPauseMs } = limits
  const { catalog, imports } = content
  const backups = openBackups({ dataDir, version, now, catalog, imports, maxPauseMs, diskSpace, log })
  const noteFailure = (message: string) => notifications.noteSafely('backup-failed', '', message)
  const storedBackups = backupStore({ dataDir, backups, settings, audit: accounts.audit, damage, noteFailure, log, now })
  const questions = questionQueue(opening.questionLimits, stopping)
  const { counts, generations } = storeCounts(db, content.vectors)
  const atomically: Atomically = (work) => transaction(db, work)
  const deletions = undoableDeletions({ ...accounts, ...content, ...jobs.ports, atomically, now, log, stopping })
  const setup = sqliteSetup(db)
  const agents = agentRequests(db, now, (client) => {
    setup.reach('connect')
    events.changed({ event: 'agent', id: client })
  })
  const hooks = sqliteHooks(db, box, now)
  const declared = declaredStore(db)
  const secrets = namedSecrets({ db, box, settings, folder: config.SECRETS_DIR, now })
  const ports: Omit<App, 'gitops'> = {
    ...licensed,
    ...accounts,
    ...content,
    ...models,
    ...jobs.ports,
    ...usage.ports,
    version,
    startedAtMs: performance.now(),
    now,
    log,
    recentLog: log,
    storeFacts: storeFacts(db, dataDir),
    monitor: monitor({
      instruments: appInstruments,
      version,
      license,
      questions,
      runs,
      storeCounts: counts,
      diskUse: diskUse(dataDir, generations),
      disk,
      backups: storedBackups,
      notifications,
      checks: content.checks,
      settings,
      now,
    }),
    dataDir,
    settings,
    setup,
    signingKey: sqliteSigningKey(db, box, now),
    notifications,
    auditForwards: forwardAudit({
      audit: accounts.audit,
      store: sqliteForwards(db),
      settings,
      network,
      install: publicUrl?.url ?? hostname(),
      hostName: publicUrl?.hostname ?? hostname(),
      limits: opening.notificationLimits,
      noteDamage: damage.note,
      log,
      now,
    }),
    agents,
    issuers: openIssuers({ settings, network }),
    signInFlows: signInFlows(),
    atomically,
    trustedProxies,
    unnamedProxies: unnamedProxies(trustedProxies, plainLog),
    refused: refusedConnections(log),
    limits,
    damage,
    paths,
    disk,
    deletions,
    events,
    hooks,
    streams: streamLimit(),
    questions,
    backups,
    backupStore: storedBackups,
    modelStore: modelStore({
      dataDir,
      catalogue: opening.catalogue,
      settings,
      audit: accounts.audit,
      disk,
      network,
      log,
      local: models.aiRuntime.local,
    }),
    cloud,
    declared,
    secrets,
    gitopsRuns: gitopsRuns(db),
    readersLoop: readersLoop({
      ...jobs.ports,
      catalog,
      settings,
      readers: content.hostReaders,
      isDecidedByHost: (id) => accounts.libraryRules.current().of(id)?.access === 'host',
      noteDamage: damage.note,
      log,
      now,
      stopping,
    }),
    stopping,
    loopback,
    publicUrl,
  }
  const app: App = { ...ports, gitops: gitops(ports) }
  const queueWaiting = () =>
    queueWaitingRefreshes(app).catch((error: unknown) => {
      damage.note(error)
      log.error({ error }, 'the refreshes that webhooks wait for cannot be queued')
    })
  const { worker, checkLibraries, clones, sweep } = jobs
  return { app, note, queueWaiting, worker, checkLibraries, clones, sweep, closeUsage: usage.close }
}

/** A model on this server has nothing to read unasked in an install without libraries. */
function approveLocalModel(settings: SettingsStore, catalog: InstallCatalog, damage: Damage): void {
  const isNew = damage.readOr(() => !settings.get('embedding.approved') && catalog.libraries().length === 0, false)
  if (isNew) settings.change({ 'embedding.approved': true })
}

/** The hosted service, which only an online license reaches. */
function openHosted({ config, db, log, now, limits, stopping }: OpenAppInput, license: License, ask: AskProvider): Cloud {
  const { kind, cloudUrl } = license
  const isOnline = kind === 'online' && cloudUrl !== undefined && config.LICENSE_KEY !== undefined
  const client = isOnline ? hostedClient(ask, { cloudUrl, key: config.LICENSE_KEY?.trim() ?? '' }) : undefined
  const policy = policies({ store: sqlitePolicy(db), licenseId: license.id, client, stopping })
  return openCloud({ license, client, policies: policy, log, now, waitMs: limits.hostedMs })
}
