import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Ai } from '../shared/ai/ai.ts'
import type { AiRuntime } from '../shared/ai/ai-runtime.ts'
import { aiRuntime } from '../shared/ai/ai-runtime.ts'
import type { localModels } from '../shared/ai/local/local-models.ts'
import type { AiSettings } from '../shared/ai/model-config.ts'
import type { RetryPolicy } from '../shared/ai/retry-policy.ts'
import { suspectTexts } from '../shared/ai/suspect-texts.ts'
import { unnamedProxies } from '../shared/http/unnamed-proxies.ts'
import { type Clones, openClones } from '../shared/indexing/clones.ts'
import { checkEmbedder } from '../shared/indexing/embedding/embed-rows.ts'
import type { Limits, PreviewLimits } from '../shared/indexing/limits.ts'
import { sweeper } from '../shared/indexing/sweeper.ts'
import { developmentPair } from '../shared/keys/development-pair.ts'
import { type VendorKeys, vendorKeyFiles, vendorKeys } from '../shared/keys/vendor-keys.ts'
import type { Log } from '../shared/log.ts'
import { logProgress, type ShowProgress } from '../shared/logging/show-progress.ts'
import { isLoopbackHost } from '../shared/network/private-address.ts'
import { gitHealth } from '../shared/reading/git/git-health.ts'
import type { GitHosts, Platform } from '../shared/reading/git/git-hosts.ts'
import { questionEmbedder } from '../shared/search/question/embed-question.ts'
import { type QuestionLimits, questionQueue } from '../shared/search/question/question-queue.ts'
import { configuredReranker } from '../shared/search/reranking/configured-reranker.ts'
import { rerankWith } from '../shared/search/reranking/rerank.ts'
import type { SnippetStore } from '../shared/search/rows/snippet-store.ts'
import { secretBox } from '../shared/settings/secret-box.ts'
import { transaction } from '../shared/store/database.ts'
import { type SettingsStore, sqliteSettings } from '../shared/store/settings-store.ts'
import { sqliteSalts } from '../shared/store/sqlite-salts.ts'
import { commandName } from '../shared/system/command-name.ts'
import { packageVersion } from '../shared/system/package-version.ts'
import { resolveLicense } from './access/resolve-license.ts'
import { type Accounts, betterAuthAccounts } from './accounts/accounts.ts'
import { attemptsInMemory } from './accounts/attempts.ts'
import { sqliteAudit } from './accounts/audit-log.ts'
import { backoffInMemory } from './accounts/backoff.ts'
import { ensureInitialCredentials, initialPasswordFile } from './accounts/ensure-initial-credentials.ts'
import { commandToken, sqliteKeys } from './accounts/key-store.ts'
import { sqliteKnownHosts } from './accounts/known-hosts.ts'
import { scryptPasswords, signInLimit } from './accounts/passwords.ts'
import { checkSessionSecret, sessionSecret } from './accounts/session-secret.ts'
import { sqliteUsers } from './accounts/user-store.ts'
import { rebuildOutdated } from './actions/enqueue-reindex.ts'
import { openPreviews } from './actions/preview-parse.ts'
import type { App } from './app.ts'
import { backupStore } from './backup/backup-store.ts'
import { openBackups } from './backup/backups.ts'
import { openCloud } from './cloud/cloud.ts'
import { hostedClient } from './cloud/hosted-client.ts'
import { policies } from './cloud/policies.ts'
import { sqlitePolicy } from './cloud/policy-store.ts'
import type { Config } from './config.ts'
import { eventFeed } from './events/event-feed.ts'
import { streamLimit } from './events/stream-limit.ts'
import { watchCatalog } from './events/watch-catalog.ts'
import { watchJobs } from './events/watch-jobs.ts'
import { importFolder } from './import/import-folder.ts'
import { jobRunner } from './jobs/job-runner.ts'
import { type JobWorker, jobWorker } from './jobs/job-worker.ts'
import { diskUse } from './monitoring/disk-use.ts'
import { instruments } from './monitoring/instruments.ts'
import { measureAi } from './monitoring/measure-ai.ts'
import { measureFinished, measureRuns } from './monitoring/measure-runs.ts'
import { monitor } from './monitoring/monitor.ts'
import { storeCounts } from './monitoring/store-counts.ts'
import { laterGenerations } from './store/catalog/later-generations.ts'
import { libraryOwners } from './store/catalog/library-owners.ts'
import { privateWarning } from './store/catalog/private-warning.ts'
import { publicLibraries } from './store/catalog/public-libraries.ts'
import { sqliteCatalog } from './store/catalog/sqlite-catalog.ts'
import { sqliteCounters } from './store/counters/sqlite-counters.ts'
import { unansweredQuestions } from './store/counters/unanswered-questions.ts'
import { usageFigures } from './store/counters/usage-figures.ts'
import { trackDamage } from './store/data-dir/damage.ts'
import { type DiskSpace, diskGuard } from './store/data-dir/disk-guard.ts'
import type { DiskReserve } from './store/data-dir/disk-reserve.ts'
import { foreignTables, isUnused, tablesIn } from './store/data-dir/foreign-tables.ts'
import { sqliteJobs } from './store/jobs/job-store.ts'
import { sqliteLicenses } from './store/license-records.ts'
import { sqliteSetup } from './store/setup-store.ts'
import { sqliteAnswers, sweepAnswers } from './store/sqlite-answers.ts'
import { sqliteVectors } from './store/vectors/sqlite-vectors.ts'
import { sweepVectors, sweptWithVectors } from './store/vectors/sweep-vectors.ts'
import { modelFailures } from './support/model-failures.ts'
import type { RecentLog } from './support/recent-log.ts'
import { storeFacts } from './support/store-facts.ts'
import { type UsageBuffer, usageBuffer } from './usage/usage-buffer.ts'

/** The outer edge of an install, which tests can replace. */
export type EdgePorts = {
  now(): Date
  limits: Limits
  openSnippets(folder: string, log: Log): SnippetStore
  openAi(settings: AiSettings, runtime: AiRuntime): Ai
  openLocalModels: typeof localModels
  questionLimits: QuestionLimits
  previewLimits: PreviewLimits
  /** Retries of requests for vectors; by default `retryPolicy`. */
  embeddingRetries?: RetryPolicy
  /** The space on the disk of a folder. Undefined if it cannot be read. */
  diskSpace(folder: string): DiskSpace | undefined
  /** Shows running jobs; by default in the log. */
  showProgress?: ShowProgress
}

export type OpenAppInput = EdgePorts & {
  config: Config
  env: Record<string, string | undefined>
  log: RecentLog
  /** A log for lines that must not be in the support bundle. */
  plainLog: Log
  dataDir: string
  db: DatabaseSync
  vectorsDb: DatabaseSync
  reserve: DiskReserve
  /** Aborts when the server stops. */
  stopping: AbortSignal
  /** True if outdated content is rebuilt while no job is queued. */
  rebuilds: boolean
}

export type OpenedApp = {
  app: App
  worker: JobWorker
  clones: Clones
  usage: UsageBuffer
  /** Deletes data that is neither served nor needed by a job. */
  sweep(): Promise<void>
  /** A sentence about the license, for the log. */
  note: string | undefined
  /** True if the snippets belong to a lost database. Throws if they cannot be listed yet. */
  holdsForeign(): Promise<boolean>
}

/** Opens the stores and creates the ports of an install. Throws AppError if it cannot start. */
export async function openApp({
  config,
  env,
  log,
  plainLog,
  dataDir,
  db,
  vectorsDb,
  reserve,
  now,
  limits,
  openSnippets,
  openAi,
  openLocalModels,
  questionLimits,
  previewLimits,
  diskSpace,
  showProgress = logProgress(plainLog),
  embeddingRetries,
  stopping,
  rebuilds,
}: OpenAppInput): Promise<OpenedApp> {
  const snippetsDir = join(dataDir, 'snippets')
  const isNew = isUnused(db)
  if (isNew && tablesIn(snippetsDir).length > 0) throw foreignTables(db, snippetsDir)
  const settings = sqliteSettings(db, secretBox(dataDir))
  const vendor = vendorKeys({ keyFiles: vendorKeyFiles(config), dataDir })
  const { license, note } = await resolveLicense(
    {
      dataDir,
      vendor,
      developmentKey: () => developmentPair(dataDir, 'license').publicPem,
      command: commandName(),
      licenses: sqliteLicenses(db, now),
      now,
    },
    { licenseKey: config.LICENSE_KEY, host: config.HOST },
  )
  const publicUrl = config.PUBLIC_URL
  // A proxy on this machine lets others reach a server on loopback.
  const loopback = isLoopbackHost(config.HOST) && (publicUrl === undefined || isLoopbackHost(publicUrl.hostname))
  const users = sqliteUsers(db, now, () => rmSync(initialPasswordFile(dataDir), { force: true }))
  const passwords = scryptPasswords()
  const credentials = { dataDir, given: config.INITIAL_ADMIN_PASSWORD }
  await ensureInitialCredentials({ users, passwords, loopback, log: plainLog }, credentials)
  const events = eventFeed()
  const catalog = watchCatalog(sqliteCatalog(db, now), events, (id) => {
    const warning = privateWarning({ settings, catalog })
    if (warning !== undefined) log.warn({ library: id }, warning)
  })
  const vectors = sqliteVectors(vectorsDb, now)
  const snippets = openSnippets(snippetsDir, log)
  const measured = instruments()
  const jobs = measureFinished(watchJobs(sqliteJobs(db, now), events), measured)
  const clones = openClones(join(dataDir, 'clones'), log)
  const gitHosts = () => gitHostsOf(settings)
  const gitToken = (platform: Platform) => settings.getSecret(`${platform}.token`)
  const network = { env, caFile: config.NODE_EXTRA_CA_CERTS }
  const local = openLocalModels({ modelsDir: join(dataDir, 'models'), stopping })
  const providers = aiRuntime(network, local)
  const ai = measureAi(openAi(settings, providers), settings, measured)
  const swept = { catalog, jobs, vectors, now }
  const imports = importFolder(join(dataDir, 'imports'), jobs.stagedImports, log)
  const rebuildNext = rebuildOutdated({ catalog, jobs, snippets, log })
  const sweepContent = sweeper({ catalog: sweptWithVectors(swept), snippets, log, now }, limits.retiredMs)
  const sweep = async () => {
    await imports.sweep()
    await sweepContent()
    await sweepVectors(swept)
    sweepAnswers(db)
    if (rebuilds) rebuildNext()
  }
  const options = { ...embeddingRetries, suspects: suspectTexts() }
  const embedding = () => ({ embedder: ai.embedder(), vectors, options })
  const llm = { model: () => ai.llm(), answers: sqliteAnswers(db) }
  const ports = {
    catalog,
    snippets,
    embedding,
    llm,
    gitHosts,
    gitToken,
    gitAccess: network,
    clones,
    limits,
    now,
  }
  const damage = trackDamage(() => checkSessionSecret(dataDir))
  const disk = diskGuard({ settings, space: () => diskSpace(dataDir) })
  const runs = measureRuns(measured, showProgress)
  const worker = jobWorker({
    jobs,
    log,
    disk,
    diskCheckMs: limits.diskCheckMs,
    waitsChanged() {
      for (const { id } of jobs.active()) events.changed({ event: 'job', id })
    },
    now,
    retryPausesMs: limits.retryPausesMs,
    sweep,
    noteDamage: damage.note,
    providerAnswers: (signal) => checkEmbedder(ai.embedder(), signal),
    run: jobRunner({ ...ports, imports, vectors }),
    showProgress: runs.showProgress,
  })
  const { kind, cloudUrl } = license
  const online = kind === 'online' && cloudUrl !== undefined && config.LICENSE_KEY !== undefined
  const client = online ? hostedClient(providers.ask, { cloudUrl, key: config.LICENSE_KEY?.trim() ?? '' }) : undefined
  const policy = policies({ store: sqlitePolicy(db), licenseId: license.id, client, stopping })
  const counters = sqliteCounters(db, now)
  counters.begin()
  const usage = usageBuffer({ counters, salts: sqliteSalts(join(dataDir, 'salts.db'), now), log, now })
  const audit = sqliteAudit(db, now)
  const { maxBackupPauseMs: maxPauseMs } = limits
  const backups = openBackups({ dataDir, version: packageVersion(), now, catalog, imports, maxPauseMs, diskSpace, log })
  const storedBackups = backupStore({ dataDir, backups, settings, audit, damage, log, now })
  const questions = questionQueue(questionLimits, stopping)
  const stored = storeCounts(db)
  const version = packageVersion()
  const app: App = {
    version,
    startedAtMs: performance.now(),
    now,
    log,
    recentLog: log,
    storeFacts: storeFacts(db, dataDir),
    monitor: monitor({
      instruments: measured,
      version,
      license,
      questions,
      runs,
      storeCounts: stored.counts,
      diskUse: diskUse(dataDir, stored.generations),
      disk,
      backups: storedBackups,
      now,
    }),
    dataDir,
    license,
    settings,
    setup: sqliteSetup(db),
    keys: sqliteKeys(db, now),
    commandToken: commandToken(),
    users,
    accounts: onFullDisks(
      betterAuthAccounts({ db, users, passwords, log, publicUrl, secret: () => sessionSecret(dataDir) }),
      reserve,
    ),
    passwords,
    signIns: signInLimit(),
    attempts: attemptsInMemory(),
    backoff: backoffInMemory(),
    trustedProxies: config.TRUSTED_PROXIES,
    unnamedProxies: unnamedProxies(config.TRUSTED_PROXIES, plainLog),
    audit,
    atomically: (work) => transaction(db, work),
    owners: libraryOwners(db),
    knownHosts: sqliteKnownHosts(db, audit),
    ai,
    aiRuntime: providers,
    questions,
    embedQuestion: questionEmbedder({
      embedderFor: ai.embedderFor,
      onFailure: modelFailures(log).embedding,
      maxMs: limits.embedQuestionMs,
    }),
    rerank: rerankWith({
      reranker: () => configuredReranker({ settings, ai, local }),
      onFailure: modelFailures(log).reranking,
      maxMs: limits.rerankMs,
    }),
    catalog,
    publicOnly: publicLibraries({ catalog, jobs }),
    snippets,
    laterGenerations: laterGenerations(db, now),
    damage,
    vectors,
    jobs,
    disk,
    events,
    streams: streamLimit(),
    imports,
    backups,
    backupStore: storedBackups,
    bundleKeys: () => bundleKeys(vendor, dataDir, config.HOST, settings),
    worker,
    previewParse: openPreviews({ ...ports, jobs, ai, stopping }, previewLimits),
    limits,
    cloud: openCloud({ license, client, policies: policy, log, now, waitMs: limits.hostedMs }),
    counters,
    usage,
    unanswered: unansweredQuestions(db, now),
    usageFigures: usageFigures(db),
    gitHosts,
    gitToken,
    git: gitHealth(env),
    gitAccess: network,
    stopping,
    loopback,
    publicUrl,
  }
  return { app, worker, clones, usage, sweep, note, holdsForeign: async () => (await snippets.generations()).length > 0 && isNew }
}

/** Admins can sign in to make room. */
const onFullDisks = (accounts: Accounts, { use }: Pick<DiskReserve, 'use'>): Accounts => ({
  signIn: (...given) => use(() => accounts.signIn(...given)),
  signOut: (...given) => use(() => accounts.signOut(...given)),
  session: (...given) => use(() => accounts.session(...given)),
})

/** The development key is trusted on a loopback address only, like development licenses. */
function bundleKeys({ development, bundle }: VendorKeys, dataDir: string, host: string, settings: SettingsStore): string[] {
  const own = development && isLoopbackHost(host) ? developmentPair(dataDir, 'bundle').publicPem : bundle
  return [...(own === undefined ? [] : [own]), ...settings.get('bundle.trustedKeys')]
}

function gitHostsOf(settings: SettingsStore): GitHosts {
  return {
    github: { baseUrl: settings.get('github.baseUrl') },
    gitlab: { baseUrl: settings.get('gitlab.baseUrl') },
  }
}
