import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { configuredAi } from '../shared/ai/configured-ai.ts'
import { localModels } from '../shared/ai/local/local-models.ts'
import { previewLimits, limits as productLimits } from '../shared/indexing/limits.ts'
import type { ServerLog } from '../shared/log.ts'
import { questionLimits } from '../shared/search/question/question-queue.ts'
import { asStartError, openDatabase } from '../shared/store/database.ts'
import { guardedSnippets } from '../shared/store/guarded-snippets.ts'
import type { Config } from './config.ts'
import { type EdgePorts, type OpenAppInput, type OpenedApp, openApp } from './open-app.ts'
import { createServer } from './server.ts'
import { laterWarning } from './store/catalog/later-generations.ts'
import { diskSpaceOf } from './store/data-dir/disk-guard.ts'
import { type DiskReserve, diskReserve } from './store/data-dir/disk-reserve.ts'
import { finishedIn, foreignTables } from './store/data-dir/foreign-tables.ts'
import { checkStores, readiness } from './store/data-dir/readiness.ts'
import { openVectors } from './store/vectors/open-vectors.ts'
import { recentLog } from './support/recent-log.ts'

/** An install whose stores are open. No job runs until `worker.start`. */
export type OpenedInstall = Pick<OpenedApp, 'app' | 'worker' | 'note'> & {
  /** Answers a request like the server. */
  fetch: ReturnType<typeof createServer>['fetch']
  reserve: DiskReserve
  /** Aborts when the install closes. */
  stopping: AbortSignal
  /**
   * Queues interrupted jobs again, prepares the stored content for jobs and deletes data that is not needed. Throws while the stores cannot be
   * read or written.
   */
  begin(): Promise<void>
  /** Deletes data that is neither served nor needed by a job, once `begin` has succeeded. */
  sweep(): Promise<void>
  /** Aborts `stopping`, waits until `stopped` and the running job have ended, then closes the stores. */
  close(stopped?: () => Promise<unknown>): Promise<void>
}

export type Env = Record<string, string | undefined>

export type OpenInstallInput = {
  config: Config
  env: Env
  log: ServerLog
  /** Absolute path of the data directory, whose lock the caller holds. */
  dataDir: string
  rebuilds: boolean
  edge?: Partial<EdgePorts>
}

const productEdge: EdgePorts = {
  now: () => new Date(),
  limits: productLimits,
  openSnippets: guardedSnippets,
  openAi: configuredAi,
  openLocalModels: localModels,
  questionLimits,
  previewLimits,
  diskSpace: diskSpaceOf,
}

/** Opens the stores of an install. Throws AppError with one sentence if it cannot. */
export async function openInstall(input: OpenInstallInput): Promise<OpenedInstall> {
  const parts = { ...productEdge, ...input.edge }
  const reserve = diskReserve(input.dataDir, parts.diskSpace)
  return reserve.use(() => openStores(input, parts, reserve))
}

async function openStores(
  { config, env, log, dataDir, rebuilds }: OpenInstallInput,
  parts: EdgePorts,
  reserve: DiskReserve,
): Promise<OpenedInstall> {
  let db: DatabaseSync | undefined
  let vectorsDb: DatabaseSync | undefined
  const closeDatabases = () => {
    db?.close()
    vectorsDb?.close()
  }
  try {
    db = openDatabase(dataDir)
    vectorsDb = openVectors(dataDir)
    const stopping = new AbortController()
    const opening = {
      config,
      env,
      log: recentLog(log, parts.now),
      plainLog: log,
      dataDir,
      db,
      vectorsDb,
      rebuilds,
      reserve,
      ...parts,
    }
    return await withStores({ ...opening, stopping: stopping.signal }, () => stopping.abort(), closeDatabases)
  } catch (error) {
    closeDatabases()
    throw asStartError(error, dataDir)
  }
}

async function withStores(opening: OpenAppInput, abort: () => void, closeDatabases: () => void): Promise<OpenedInstall> {
  const { dataDir, db, log, reserve, stopping } = opening
  const { app, worker, clones, usage, sweep, note, holdsForeign } = await openApp(opening)
  const { snippets } = app
  const snippetsDir = join(dataDir, 'snippets')
  const storesAnswer = readiness(() => checkStores(db, snippetsDir, app.damage))
  let isReadable = false
  let begun = false
  let isFailing = false
  const sweepBegun = async () => {
    if (!begun) return
    try {
      await sweep()
      isFailing = false
    } catch (error) {
      app.damage.note(error)
      if (!isFailing) log.error({ error }, 'the sweep failed')
      isFailing = true
    }
  }
  return {
    app,
    worker,
    note,
    reserve,
    stopping,
    fetch: createServer(app, async () => isReadable && storesAnswer()).fetch,
    async begin() {
      // The folder may have been mounted after the start.
      if (await holdsForeign()) throw foreignTables(db, snippetsDir)
      isReadable = true
      const interrupted = app.jobs.recover()
      if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start again')
      const later = app.laterGenerations.setAside(await snippets.generations(), finishedIn(snippetsDir))
      if (later.length > 0) log.warn({ generations: later }, laterWarning(later))
      begun = true
      await clones.empty()
      await sweep()
    },
    sweep: sweepBegun,
    async close(stopped) {
      abort()
      await Promise.all([stopped?.(), worker.stop(), app.backupStore.close()])
      await usage.close()
      await sweepBegun()
      snippets.close()
      closeDatabases()
      await clones.close()
    },
  }
}
