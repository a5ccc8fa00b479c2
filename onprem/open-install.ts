import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { configuredAi } from '../shared/ai/configured-ai.ts'
import { localModels } from '../shared/ai/local/local-models.ts'
import { limits as productLimits } from '../shared/indexing/limits.ts'
import { previewLimits } from '../shared/indexing/preview-limits.ts'
import type { ServerLog } from '../shared/log.ts'
import { questionLimits } from '../shared/search/question-queue.ts'
import { asStartError, openDatabase } from '../shared/store/database.ts'
import { guardedSnippets } from '../shared/store/guarded-snippets.ts'
import type { Config } from './config.ts'
import { type EdgePorts, type OpenAppInput, type OpenedApp, openApp } from './open-app.ts'
import { createServer } from './server.ts'
import { diskSpaceOf } from './store/disk-guard.ts'
import { finishedIn, foreignTables } from './store/foreign-tables.ts'
import { laterWarning } from './store/later-generations.ts'
import { openVectors } from './store/open-vectors.ts'
import { checkStores, readiness } from './store/readiness.ts'
import { recentLog } from './support/recent-log.ts'

/** An install whose stores are open. No job runs until `worker.start`. */
export type OpenedInstall = Pick<OpenedApp, 'app' | 'worker' | 'note'> & {
  /** Answers a request like the server. */
  fetch: ReturnType<typeof createServer>['fetch']
  /** Aborts when the install closes. */
  stopping: AbortSignal
  /** Prepares the stored content for jobs and deletes data that is not needed. Throws while the stores cannot be read. */
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
export async function openInstall({ config, env, log, dataDir, rebuilds, edge }: OpenInstallInput): Promise<OpenedInstall> {
  let db: DatabaseSync | undefined
  let vectorsDb: DatabaseSync | undefined
  const closeDatabases = () => {
    db?.close()
    vectorsDb?.close()
  }
  try {
    db = openDatabase(dataDir)
    vectorsDb = openVectors(dataDir)
    const parts = { ...productEdge, ...edge }
    const stopping = new AbortController()
    const opening = { config, env, log: recentLog(log, parts.now), plainLog: log, dataDir, db, vectorsDb, rebuilds, ...parts }
    return await withStores({ ...opening, stopping: stopping.signal }, () => stopping.abort(), closeDatabases)
  } catch (error) {
    closeDatabases()
    throw asStartError(error, dataDir)
  }
}

async function withStores(opening: OpenAppInput, abort: () => void, closeDatabases: () => void): Promise<OpenedInstall> {
  const { dataDir, db, log, stopping } = opening
  const { app, worker, clones, usage, sweep, note, holdsForeign } = await openApp(opening)
  const { snippets } = app
  const snippetsDir = join(dataDir, 'snippets')
  const storesAnswer = readiness(() => checkStores(db, snippetsDir, app.damage))
  let begun = false
  const sweepBegun = async () => {
    if (!begun) return
    await sweep().catch((error: unknown) => {
      app.damage.note(error)
      log.error({ error }, 'the sweep failed')
    })
  }
  return {
    app,
    worker,
    note,
    stopping,
    fetch: createServer(app, async () => begun && storesAnswer()).fetch,
    async begin() {
      // The folder may have been mounted after the start.
      if (await holdsForeign()) throw foreignTables(db, snippetsDir)
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
