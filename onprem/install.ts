import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AiRim } from '../shared/ai/adapters.ts'
import type { Ai } from '../shared/ai/ai.ts'
import { aiOf, aiRim } from '../shared/ai/providers.ts'
import type { AiSettings } from '../shared/ai/setups.ts'
import { isLoopbackHost } from '../shared/base-url.ts'
import { listen } from '../shared/http/listen.ts'
import type { GitHosts, Platform } from '../shared/ingest/git/repo-address.ts'
import { developmentPair, vendorDir, vendorKeys } from '../shared/keys/dev-pairs.ts'
import type { Log } from '../shared/log.ts'
import { packageVersion } from '../shared/package-version.ts'
import { clonesIn } from '../shared/parse/clones.ts'
import { answers } from '../shared/parse/embed-rows.ts'
import { type Limits, limits as productLimits } from '../shared/parse/limits.ts'
import { parseLibrary } from '../shared/parse/parse-library.ts'
import { sweeper } from '../shared/parse/sweep.ts'
import { questionEmbedder } from '../shared/search/embed-question.ts'
import { llmRerank } from '../shared/search/rerank.ts'
import type { SnippetStore } from '../shared/search/snippet-store.ts'
import { secretBox } from '../shared/settings/secrets.ts'
import { lockDataDir, openDataDir } from '../shared/store/data-dir.ts'
import { asStartError, openDatabase } from '../shared/store/database.ts'
import { lanceSnippets } from '../shared/store/lance-snippets.ts'
import { type SettingsStore, sqliteSettings } from '../shared/store/settings-store.ts'
import { sqliteSalts } from '../shared/store/sqlite-salts.ts'
import { betterAuthAccounts } from './accounts/accounts.ts'
import { attemptsInMemory } from './accounts/attempts.ts'
import { hasOpenDoor, openDoor } from './accounts/open-door.ts'
import { scryptPasswords } from './accounts/passwords.ts'
import { sessionSecret } from './accounts/session-secret.ts'
import type { App } from './app.ts'
import { openCloud } from './cloud/cloud.ts'
import { hostedClient } from './cloud/hosted-client.ts'
import { sqlitePolicy } from './cloud/kept-policy.ts'
import { policies } from './cloud/policies.ts'
import type { Config } from './config.ts'
import { importFolder } from './import/import-folder.ts'
import { importLibrary } from './jobs/import-library.ts'
import { sqliteJobs } from './jobs/job-store.ts'
import { reindexLibrary } from './jobs/reindex-library.ts'
import { jobWorker } from './jobs/worker.ts'
import { resolveLicense } from './resolve-license.ts'
import { createServer } from './server.ts'
import { sqliteAudit } from './store/audit-log.ts'
import { foreignTables, isUnused, tablesIn } from './store/foreign-tables.ts'
import { sqliteKeys } from './store/key-store.ts'
import { sqliteLicenses } from './store/license-records.ts'
import { openVectors } from './store/open-vectors.ts'
import { lookAtStores, readiness } from './store/readiness.ts'
import { sqliteAnswers, sweepAnswers } from './store/sqlite-answers.ts'
import { sqliteCatalog } from './store/sqlite-catalog.ts'
import { sqliteCounters } from './store/sqlite-counters.ts'
import { sqliteVectors } from './store/sqlite-vectors.ts'
import { sweepVectors, sweptWithVectors } from './store/sweep-vectors.ts'
import { sqliteUsers } from './store/user-store.ts'
import { type RecentLog, recentLog } from './support/recent-log.ts'
import { storeFacts } from './support/store-facts.ts'
import { tellError } from './support/tell-error.ts'
import { usageBook } from './usage/usage-book.ts'

export type Install = { url: string; app: App; stop(): Promise<void> }

/** What a test replaces. */
export type Rim = {
  now(): Date
  limits: Limits
  openSnippets(folder: string): SnippetStore
  openAi(settings: AiSettings, rim: AiRim): Ai
}

type Env = Record<string, string | undefined>

const productRim: Rim = { now: () => new Date(), limits: productLimits, openSnippets: lanceSnippets, openAi: aiOf }
const sweepEveryMs = 60_000
const longestPauseMs = 60_000
/** A bundle of 2 GB comes over a slow line, too. */
const bodyMs = 3_600_000

/** Opens the stores, listens, then works the queue off. Throws AppError with one sentence where it cannot start. */
export async function startInstall(config: Config, env: Env, log: Log, rim: Partial<Rim> = {}): Promise<Install> {
  const dataDir = openDataDir(config.DATA_DIR)
  const lock = lockDataDir(dataDir, 'onprem')
  let db: DatabaseSync | undefined
  let vectorsDb: DatabaseSync | undefined
  const release = () => {
    db?.close()
    vectorsDb?.close()
    lock.release()
  }
  try {
    db = openDatabase(dataDir)
    vectorsDb = openVectors(dataDir)
    const parts = { ...productRim, ...rim }
    return await open({ config, env, log: recentLog(log, parts.now), dataDir, db, vectorsDb, release, ...parts })
  } catch (error) {
    release()
    throw asStartError(error, dataDir)
  }
}

type Opening = Rim & {
  config: Config
  env: Env
  log: RecentLog
  dataDir: string
  db: DatabaseSync
  vectorsDb: DatabaseSync
  release(): void
}

async function open({
  config,
  env,
  log,
  dataDir,
  db,
  vectorsDb,
  release,
  now,
  limits,
  openSnippets,
  openAi,
}: Opening): Promise<Install> {
  const snippetsDir = join(dataDir, 'snippets')
  const isNew = isUnused(db)
  if (isNew && tablesIn(snippetsDir).length > 0) throw foreignTables(db, snippetsDir)
  const settings = sqliteSettings(db, secretBox(dataDir))
  const { license, note } = await resolveLicense(
    { dataDir, vendorDir, licenses: sqliteLicenses(db, now), now },
    { licenseKey: config.LICENSE_KEY, host: config.HOST },
  )
  const users = sqliteUsers(db, now)
  users.seed()
  const passwords = scryptPasswords()
  const catalog = sqliteCatalog(db, now)
  const vectors = sqliteVectors(vectorsDb, now)
  const snippets = openSnippets(snippetsDir)
  const jobs = sqliteJobs(db, now)
  const clones = clonesIn(join(dataDir, 'clones'), log)
  const gitHosts = () => gitHostsOf(settings)
  const gitToken = (platform: Platform) => settings.getSecret(`${platform}.token`)
  const network = { env, caFile: config.NODE_EXTRA_CA_CERTS }
  const providers = aiRim(network)
  const ai = openAi(settings, providers)
  const kept = { catalog, jobs, vectors, now }
  const imports = importFolder(join(dataDir, 'imports'), jobs.stagedImports, log)
  const sweepContent = sweeper({ catalog: sweptWithVectors(kept), snippets, log, now }, limits.retiredMs)
  const sweep = async () => {
    await imports.sweep()
    await sweepContent()
    await sweepVectors(kept)
    sweepAnswers(db)
  }
  const embedding = () => ({ embedder: ai.embedder(), vectors })
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
  const worker = jobWorker({
    jobs,
    log,
    now,
    retryPausesMs: limits.retryPausesMs,
    sweep,
    providerAnswers: (signal) => answers(ai.embedder(), signal),
    run: async (job, progress, signal) => {
      switch (job.kind) {
        case 'parse':
          return parseLibrary(ports, job, progress, signal)
        case 'import':
          return importLibrary({ ...ports, imports }, job, progress, signal)
        case 'reindex':
          return reindexLibrary(ports, job, progress, signal)
      }
    },
  })
  const stopping = new AbortController()
  const { kind, cloudUrl } = license
  const online = kind === 'online' && cloudUrl !== undefined && config.LICENSE_KEY !== undefined
  const client = online ? hostedClient(providers.ask, { cloudUrl, key: config.LICENSE_KEY?.trim() ?? '' }) : undefined
  const policy = policies({ store: sqlitePolicy(db), licenseId: license.id, client, stopping: stopping.signal })
  const counters = sqliteCounters(db, now)
  counters.begin()
  const usage = usageBook({ counters, salts: sqliteSalts(join(dataDir, 'salts.db'), now), log, now })
  const app: App = {
    version: packageVersion(),
    startedAtMs: performance.now(),
    now,
    log,
    recentLog: log,
    storeFacts: storeFacts(db, dataDir),
    license,
    settings,
    keys: sqliteKeys(db, now),
    users,
    accounts: betterAuthAccounts({ db, users, passwords, log, secret: () => sessionSecret(dataDir) }),
    passwords,
    attempts: attemptsInMemory(),
    audit: sqliteAudit(db, now),
    ai,
    aiRim: providers,
    embedQuestion: questionEmbedder({
      embedderFor: ai.embedderFor,
      onFailure: (error) => log.warn({ error: tellError(error) }, 'a question could not be embedded'),
      mostMs: limits.embedQuestionMs,
    }),
    rerank: llmRerank({
      llm: () => ai.llm(),
      onFailure: (error) => log.warn({ error: tellError(error) }, 'the language model did not rerank'),
      mostMs: limits.rerankMs,
    }),
    catalog,
    snippets,
    vectors,
    jobs,
    imports,
    bundleKeys: () => bundleKeys(dataDir, config.HOST, settings),
    worker,
    limits,
    cloud: openCloud({ license, client, policies: policy, log, now, waitMs: limits.hostedMs }),
    counters,
    usage,
    gitHosts,
    gitToken,
    gitAccess: network,
    loopback: isLoopbackHost(config.HOST),
  }
  let opened = false
  const storesAnswer = readiness(() => lookAtStores(db, snippetsDir))
  const { port, close } = await listen(createServer(app, async () => opened && storesAnswer()).fetch, {
    ...config,
    bodyMs,
  }).catch((error: unknown) => usage.close().then(() => Promise.reject(error)))
  if (note !== undefined) log.info({ license: license.id, kind: license.kind }, note)
  const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  log.info({ url, dataDir }, 'listening')
  // So that no search waits for a policy that is still to be pushed.
  if (app.cloud.isOpen()) void app.cloud.policy()
  if (hasOpenDoor(app)) log.warn({}, openDoor)
  const interrupted = jobs.recover()
  if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start over')

  const begin = async () => {
    const stored = await snippets.generations()
    // A folder that was mounted after the start.
    if (isNew && stored.length > 0) throw foreignTables(db, snippetsDir)
    opened = true
    await clones.empty()
    await sweep()
  }
  const begun = untilDone(begin, { log, pauseMs: limits.reopenMs, signal: stopping.signal }).then(() => {
    if (!stopping.signal.aborted) worker.start()
  })
  const sweepOpened = () =>
    opened ? sweep().catch((error: unknown) => log.error({ error }, 'the sweep failed')) : Promise.resolve()
  const timer = setInterval(() => void sweepOpened(), sweepEveryMs)
  return {
    url,
    app,
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await begun
      await Promise.all([close(), worker.stop()])
      await usage.close()
      await sweepOpened()
      snippets.close()
      release()
      await clones.close()
    },
  }
}

type Tries = { log: Log; pauseMs: number; signal: AbortSignal }

/** Tries to open the stores again and again, and says once that they cannot be. */
async function untilDone(begin: () => Promise<void>, { log, pauseMs, signal }: Tries): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await begin()
    } catch (error) {
      if (tries === 0) log.error({ error }, 'the stores cannot be opened yet')
    }
    await sleep(Math.min(longestPauseMs, pauseMs * 2 ** tries), undefined, { signal }).catch(() => undefined)
  }
}

/** Those of the development pair count where its licenses do. */
function bundleKeys(dataDir: string, host: string, settings: SettingsStore): string[] {
  const { development, bundle } = vendorKeys(vendorDir)
  const own = development && isLoopbackHost(host) ? developmentPair(dataDir, 'bundle').publicPem : bundle
  return [...(own === undefined ? [] : [own]), ...settings.get('bundle.trustedKeys')]
}

function gitHostsOf(settings: SettingsStore): GitHosts {
  return {
    github: { baseUrl: settings.get('github.baseUrl') },
    gitlab: { baseUrl: settings.get('gitlab.baseUrl') },
  }
}
