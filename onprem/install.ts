import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { configuredAi } from '../shared/ai/configured-ai.ts'
import { loadModels } from '../shared/ai/load-models.ts'
import { listen } from '../shared/http/listen.ts'
import { limits as productLimits } from '../shared/indexing/limits.ts'
import type { Log } from '../shared/log.ts'
import { isPlain, plainWarning } from '../shared/schemas/public-url.ts'
import { questionLimits } from '../shared/search/question-queue.ts'
import { asStartError, openDatabase } from '../shared/store/database.ts'
import { guardedSnippets } from '../shared/store/guarded-snippets.ts'
import { lockDataDir, openDataDir } from '../shared/store/open-data-dir.ts'
import { hasInitialPassword, initialPasswordWarning } from './accounts/ensure-initial-credentials.ts'
import type { App } from './app.ts'
import type { Config } from './config.ts'
import { type EdgePorts, type OpenAppInput, openApp } from './open-app.ts'
import { createServer } from './server.ts'
import { finishedIn, foreignTables } from './store/foreign-tables.ts'
import { laterWarning } from './store/later-generations.ts'
import { openVectors } from './store/open-vectors.ts'
import { checkStores, readiness } from './store/readiness.ts'
import { recentLog } from './support/recent-log.ts'

export type Install = { url: string; app: App; stop(): Promise<void> }

type Env = Record<string, string | undefined>

const productEdge: EdgePorts = {
  now: () => new Date(),
  limits: productLimits,
  openSnippets: guardedSnippets,
  openAi: configuredAi,
  questionLimits,
}
const sweepEveryMs = 60_000
const maxPauseMs = 60_000
/** Enough for a bundle of 2 GB over a slow line. */
const bodyMs = 3_600_000

/** Opens the stores, starts the server, then runs the queued jobs. Throws AppError with one sentence if it cannot start. */
export async function startInstall(config: Config, env: Env, log: Log, edge: Partial<EdgePorts> = {}): Promise<Install> {
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
    const parts = { ...productEdge, ...edge }
    const stopping = new AbortController()
    const opening = {
      config,
      env,
      log: recentLog(log, parts.now),
      plainLog: log,
      dataDir,
      db,
      vectorsDb,
      stopping: stopping.signal,
      ...parts,
    }
    return await serve(opening, stopping, release)
  } catch (error) {
    release()
    throw asStartError(error, dataDir)
  }
}

async function serve(opening: OpenAppInput, stopping: AbortController, release: () => void): Promise<Install> {
  const { config, dataDir, db, limits, log } = opening
  const { app, worker, clones, usage, sweep, note, holdsForeign } = await openApp(opening)
  const { snippets, jobs, license } = app
  const snippetsDir = join(dataDir, 'snippets')
  let opened = false
  const storesAnswer = readiness(() => checkStores(db, snippetsDir, app.damage))
  const { port, close } = await listen(createServer(app, async () => opened && storesAnswer()).fetch, {
    ...config,
    bodyMs,
  }).catch((error: unknown) => usage.close().then(() => Promise.reject(error)))
  if (note !== undefined) log.info({ license: license.id, kind: license.kind }, note)
  const url = `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`
  const publicUrl = app.publicUrl?.url
  log.info({ url, ...(publicUrl && { publicUrl }), dataDir }, 'listening')
  if (app.publicUrl && isPlain(app.publicUrl)) log.warn({ publicUrl }, plainWarning)
  // Pushes the policy now, so that no search waits for it.
  if (app.cloud.isOpen()) void app.cloud.policy()
  if (hasInitialPassword(app)) log.warn({}, initialPasswordWarning)
  const interrupted = jobs.recover()
  if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start again')

  const begin = async () => {
    // The folder may have been mounted after the start.
    if (await holdsForeign()) throw foreignTables(db, snippetsDir)
    const later = app.laterGenerations.setAside(await snippets.generations(), finishedIn(snippetsDir))
    if (later.length > 0) log.warn({ generations: later }, laterWarning(later))
    opened = true
    await clones.empty()
    await sweep()
  }
  const begun = retryUntilOpen(begin, {
    log,
    noteDamage: app.damage.note,
    pauseMs: limits.reopenMs,
    signal: stopping.signal,
  }).then(() => {
    if (!stopping.signal.aborted) worker.start()
  })
  void begun
    .then(() => loadModels(app.settings))
    .catch((error: unknown) => log.error({ error }, 'the packages of the model providers cannot be loaded'))
  const sweepOpened = () =>
    opened
      ? sweep()
          .then(worker.wake)
          .catch((error: unknown) => {
            app.damage.note(error)
            log.error({ error }, 'the sweep failed')
          })
      : Promise.resolve()
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

type Retries = { log: Log; noteDamage(error: unknown): void; pauseMs: number; signal: AbortSignal }

/** Retries until the stores can be opened. Logs the failure once. */
async function retryUntilOpen(begin: () => Promise<void>, { log, noteDamage, pauseMs, signal }: Retries): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await begin()
    } catch (error) {
      noteDamage(error)
      if (tries === 0) log.error({ error }, 'the stores cannot be opened yet')
    }
    await sleep(Math.min(maxPauseMs, pauseMs * 2 ** tries), undefined, { signal }).catch(() => undefined)
  }
}
