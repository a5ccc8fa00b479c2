import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../shared/errors.ts'
import type { ServerLog } from '../shared/log.ts'
import { asStartError, openDatabase } from '../shared/store/database.ts'
import { asMachineError, UnusablePath } from '../shared/system/machine-error.ts'
import { type EdgePorts, productEdge } from './app/edge-ports.ts'
import { type App, type OpenAppInput, type OpenedApp, openApp } from './app/open-app.ts'
import { snippetsDirOf } from './app/open-content.ts'
import type { Config } from './config.ts'
import { createServer } from './server.ts'
import { laterWarning } from './store/catalog/later-generations.ts'
import { type DiskReserve, diskReserve } from './store/data-dir/disk-reserve.ts'
import { finishedIn, foreignTables, isUnused, tablesIn } from './store/data-dir/foreign-tables.ts'
import { checkStores, readiness } from './store/data-dir/readiness.ts'
import { openVectors } from './store/vectors/open-vectors.ts'
import { recentLog } from './support/recent-log.ts'

export type Env = Record<string, string | undefined>

export type OpenInstallInput = {
  config: Config
  env: Env
  log: ServerLog
  /** Absolute path of the data directory, whose lock the caller holds. */
  dataDir: string
  /** True if outdated content is rebuilt while no job is queued. */
  rebuilds: boolean
  edge?: Partial<EdgePorts>
}

/** An install whose stores are open. No job runs until `worker.start`. */
export type OpenedInstall = Pick<OpenedApp, 'app' | 'worker' | 'checkLibraries' | 'note'> & {
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

/** Opens the stores of an install. Throws AppError with one sentence if it cannot. */
export async function openInstall(input: OpenInstallInput): Promise<OpenedInstall> {
  const edge = { ...productEdge, ...input.edge }
  const reserve = diskReserve(input.dataDir, edge.diskSpace)
  return reserve.use(() => openStores(input, edge, reserve))
}

async function openStores(input: OpenInstallInput, edge: EdgePorts, reserve: DiskReserve): Promise<OpenedInstall> {
  const { dataDir, log } = input
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
    const opening = { ...input, ...edge, log: recentLog(log, edge.now), plainLog: log, db, vectorsDb, reserve }
    return await withStores({ ...opening, stopping: stopping.signal }, () => stopping.abort(), closeDatabases)
  } catch (error) {
    closeDatabases()
    throw asStartError(error, dataDir)
  }
}

async function withStores(opening: OpenAppInput, abort: () => void, closeDatabases: () => void): Promise<OpenedInstall> {
  const { dataDir, db, log, reserve, stopping } = opening
  const snippetsDir = snippetsDirOf(dataDir)
  const isNew = isUnused(db)
  if (isNew && tablesIn(snippetsDir).length > 0) throw foreignTables(db, snippetsDir)
  const { app, worker, checkLibraries, clones, sweep, closeUsage, queueWaiting, note } = await openApp(opening)
  const { snippets } = app
  const storesAnswer = readiness(() => checkStores({ ...app, db }, snippetsDir))
  let isReadable = false
  let isStarted = false
  let isFailing = false
  const sweepBegun = async () => {
    if (!isStarted) return
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
    checkLibraries,
    note,
    reserve,
    stopping,
    fetch: createServer(app, async () => isReadable && storesAnswer()).fetch,
    async begin() {
      const unusable = app.paths.snippets()
      if (unusable !== undefined) throw new AppError('data_damaged', unusable)
      const generations = await snippets.generations()
      // The folder may have been mounted after the start.
      if (isNew && generations.length > 0) throw foreignTables(db, snippetsDir)
      isReadable = true
      const interrupted = app.jobs.recover()
      if (interrupted > 0) log.warn({ jobs: interrupted }, 'jobs were interrupted and start again')
      const later = app.laterGenerations.setAside(await snippets.generations(), finishedIn(snippetsDir))
      if (later.length > 0) log.warn({ generations: later }, laterWarning(later))
      isStarted = true
      await unlessUnusable(clones.empty, app)
      await unlessUnusable(app.deletions.finishAll, app)
      await unlessUnusable(sweep, app)
      await queueWaiting()
    },
    sweep: sweepBegun,
    async close(stopped) {
      abort()
      await Promise.all([
        stopped?.(),
        worker.stop(),
        checkLibraries.stop(),
        app.backupStore.close(),
        app.modelStore.close(),
        app.gitops.close(),
      ])
      await app.notifications.close()
      await app.auditForwards.close()
      await closeUsage()
      await sweepBegun()
      await app.textIndex.close()
      snippets.close()
      closeDatabases()
      await clones.close()
    },
  }
}

/** Runs `work`. If a file or folder cannot be used, logs that: the jobs that need it fail with the reason, and all else works. */
async function unlessUnusable(work: () => Promise<void>, { dataDir, log }: Pick<App, 'dataDir' | 'log'>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    const error = asMachineError(thrown, dataDir)
    if (!(error instanceof UnusablePath)) throw thrown
    log.error({ error }, 'data that is not needed cannot be deleted')
  }
}
