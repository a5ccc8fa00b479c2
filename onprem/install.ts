import { setTimeout as sleep } from 'node:timers/promises'
import { loadModels } from '../shared/ai/load-models.ts'
import { AppError } from '../shared/errors.ts'
import { listen } from '../shared/http/listen.ts'
import { localServerUrl, serverUrl } from '../shared/http/server-url.ts'
import type { Log, ServerLog } from '../shared/log.ts'
import { isPlain, plainWarning } from '../shared/schemas/public-url.ts'
import { isLocked, lockDataDir, openDataDir } from '../shared/store/open-data-dir.ts'
import { tempProblem } from '../shared/system/temp-problem.ts'
import {
  hasInitialPassword,
  hasPublicPassword,
  initialPasswordFile,
  initialPasswordWarning,
  openFirstSignIn,
} from './accounts/ensure-initial-credentials.ts'
import { sessionLimits } from './accounts/session-store.ts'
import type { EdgePorts } from './app/edge-ports.ts'
import type { App } from './app/open-app.ts'
import { completeRestore } from './backup/replace-content.ts'
import type { Config } from './config.ts'
import { sampleEveryMs } from './monitoring/monitor.ts'
import { type Env, type OpenedInstall, openInstall } from './open-install.ts'
import { privateWarning } from './store/catalog/private-warning.ts'
import { type CommandFacts, readCommandFile, removeServerFiles, writeServerFile } from './store/data-dir/server-file.ts'

export type Install = {
  url: string
  app: App
  /** How the first sign-in works, as the end of a sentence. Empty if the first user had chosen a password before this start. */
  firstSignIn: string
  stop(): Promise<void>
}

type Serving = { config: Config; dataDir: string; release(): void }

const sweepEveryMs = 60_000
const maxPauseMs = 60_000
/** Maximum time that a start waits for a command that uses the data directory. */
const maxCommandMs = 5_000
/** A bundle of 2 GB over a slow line takes less. */
const bodyMs = 3_600_000

/** Opens the stores, starts the server, then runs the queued jobs. Throws AppError with one sentence if it cannot start. */
export async function startInstall(config: Config, env: Env, log: ServerLog, edge: Partial<EdgePorts> = {}): Promise<Install> {
  const dataDir = openDataDir(config.DATA_DIR)
  const lock = await lockAfterCommand(dataDir)
  try {
    removeServerFiles(dataDir)
    const aside = completeRestore(dataDir)
    if (aside !== undefined) log.warn({ aside }, 'an interrupted restore was completed; the old content was kept')
    const opened = await openInstall({ config, env, log, dataDir, rebuilds: true, edge })
    return await serve(opened, { config, dataDir, release: lock.release })
  } catch (error) {
    lock.release()
    throw error
  }
}

async function serve(opened: OpenedInstall, { config, dataDir, release }: Serving): Promise<Install> {
  const { app, worker, checkLibraries, note } = opened
  const { license, limits, log } = app
  const { port, close } = await listen(opened.fetch, { ...config, bodyMs, connections: app.refused }).catch((error: unknown) =>
    opened.close().then(() => Promise.reject(error)),
  )
  if (note !== undefined) log.info({ license: license.id, kind: license.kind }, note)
  const url = serverUrl(config.HOST, port)
  const facts = { pid: process.pid, url: localServerUrl(config.HOST, port), version: app.version, token: app.commandToken.token }
  try {
    await opened.reserve.use(() => writeServerFile(dataDir, facts))
  } catch (error) {
    log.warn({ error }, 'server.json cannot be written, so commands cannot find this server')
  }
  logStart(app, url)
  // Pushes the policy now, so that no search waits for it.
  if (app.cloud.isOpen()) void app.cloud.policy()
  const stopReserve = opened.reserve.keep(limits.diskCheckMs)
  const started = retryUntilOpen(opened.begin, {
    log,
    noteDamage: app.damage.note,
    pauseMs: limits.reopenMs,
    signal: opened.stopping,
  }).then(() => {
    if (opened.stopping.aborted) return
    worker.start()
    app.notifications.start()
    app.auditForwards.start()
    app.notifications.watch(app)
    checkLibraries.start()
    void app.backupStore.runIfDue()
    void app.gitops.runIfDue()
    void app.readersLoop.askIfDue()
  })
  void started
    .then(() => loadModels(app.settings))
    .catch((error: unknown) => log.error({ error }, 'the packages of the model providers cannot be loaded'))
  const timer = setInterval(() => {
    void opened.sweep().then(worker.wake)
    app.notifications.watch(app)
    app.accessAudit.tidy()
    app.damage.readOr(() => app.users.endOldSessions(sessionLimits(app.settings)), undefined)
    void app.backupStore.runIfDue()
    void app.gitops.runIfDue()
    void app.readersLoop.askIfDue()
  }, sweepEveryMs)
  const sampling = setInterval(sampler(app), sampleEveryMs)
  return {
    url,
    app,
    firstSignIn: firstSignIn(app, config),
    async stop() {
      clearInterval(timer)
      clearInterval(sampling)
      stopReserve()
      try {
        removeServerFiles(dataDir)
      } catch (error) {
        log.warn({ error }, 'server.json cannot be deleted; the next start deletes it')
      }
      await opened.close(async () => {
        await started
        await close()
      })
      release()
    },
  }
}

function firstSignIn({ loopback, users, dataDir, damage }: App, { INITIAL_ADMIN_PASSWORD }: Config): string {
  const first = damage.readOr(() => openFirstSignIn({ loopback, users }), '')
  if (first === '') return ''
  if (first === 'public') return ' and sign in as admin with the password admin'
  if (INITIAL_ADMIN_PASSWORD !== undefined) return ' and sign in as admin with the password of INITIAL_ADMIN_PASSWORD'
  return ` and sign in as admin; the first password is in\n  ${initialPasswordFile(dataDir)}`
}

/** Logs the address, and what people should know or change. */
function logStart(app: App, url: string): void {
  const { dataDir, log } = app
  const publicUrl = app.publicUrl?.url
  log.info({ url, ...(publicUrl && { publicUrl }), dataDir }, 'listening')
  if (hasPublicPassword(app))
    log.info({ url }, 'new install: open the address in a browser and sign in as admin with the password admin')
  if (app.publicUrl && isPlain(app.publicUrl)) log.warn({ publicUrl }, plainWarning)
  for (const problem of app.paths.problems()) log.error({ problem }, 'a file or folder of the data directory cannot be used')
  const temp = tempProblem()
  if (temp !== undefined) log.warn({}, temp)
  void app.git.check().then((problem) => problem === undefined || log.warn({}, problem))
  if (hasInitialPassword(app)) log.warn({}, initialPasswordWarning)
  const ofPrivate = privateWarning(app)
  if (ofPrivate !== undefined) log.warn({}, ofPrivate)
}

/** Logs a failure once, until a sample succeeds. */
function sampler({ monitor, damage, log }: Pick<App, 'monitor' | 'damage' | 'log'>): () => void {
  let isFailing = false
  const sample = async () => {
    try {
      await monitor.sample()
      isFailing = false
    } catch (error) {
      damage.note(error)
      if (!isFailing) log.warn({ error }, 'the metrics cannot be measured yet')
      isFailing = true
    }
  }
  return () => void sample()
}

/** Locks the data directory. A command that runs without a server holds the lock for a moment only, unless it waits for a job. */
async function lockAfterCommand(dataDir: string): Promise<{ release(): void }> {
  const end = performance.now() + maxCommandMs
  for (;;) {
    try {
      return lockDataDir(dataDir, 'onprem')
    } catch (error) {
      const command = isLocked(error) ? readCommandFile(dataDir) : undefined
      if (command === undefined) throw error
      if (performance.now() > end) throw usedByCommand(command, dataDir, error)
    }
    await sleep(50)
  }
}

const usedByCommand = ({ command, pid }: CommandFacts, dataDir: string, cause: unknown): AppError =>
  new AppError(
    'cannot_start',
    `The command "${command}" (process ${pid}) uses DATA_DIR ${dataDir}. Start the server when it has ended.`,
    { cause },
  )

type Retries = { log: Log; noteDamage(error: unknown): void; pauseMs: number; signal: AbortSignal }

/** Retries until the stores can be opened. Logs the failure once. */
async function retryUntilOpen(begin: () => Promise<void>, { log, noteDamage, pauseMs, signal }: Retries): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      await begin()
      if (tries > 0) log.info({}, 'the stores are open')
      return
    } catch (error) {
      noteDamage(error)
      if (tries === 0) log.error({ error }, 'the stores cannot be opened yet')
    }
    await sleep(Math.min(maxPauseMs, pauseMs * 2 ** tries), undefined, { signal }).catch(() => undefined)
  }
}
