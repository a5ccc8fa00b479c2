import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../shared/errors.ts'
import type { ServerLog } from '../../shared/log.ts'
import { isLocked, openDataDir } from '../../shared/store/open-data-dir.ts'
import { readAdminAddress } from './admin-address.ts'
import { isAnswering } from './is-answering.ts'
import { type Local, type LocalEnvironment, openLocal } from './open-local.ts'

const maxWaitMs = 120_000
const pauseMs = 200

/**
 * Opens the data directory for a server. Waits while a command or a stopping server has it open; fails immediately if a server runs.
 * Throws an AppError with one sentence.
 */
export async function openWhenFree(
  config: LocalEnvironment,
  env: NodeJS.ProcessEnv,
  log: ServerLog,
  waitMs = maxWaitMs,
): Promise<Local> {
  const endAt = performance.now() + waitMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await openLocal(config, env, log)
    } catch (error) {
      if (!isLocked(error) || (await isServed(config.DATA_DIR))) throw error
      if (performance.now() > endAt) throw stillInUse(config.DATA_DIR, waitMs, error)
    }
    if (attempt === 1) {
      log.info({ dataDir: config.DATA_DIR, maxWaitMs: waitMs }, 'waiting for a command that uses the data directory to end')
    }
    await sleep(pauseMs)
  }
}

async function isServed(dataDir: string): Promise<boolean> {
  const address = readAdminAddress(openDataDir(dataDir))
  return address !== undefined && (await isAnswering(address))
}

const stillInUse = (dataDir: string, waitMs: number, cause: unknown): AppError =>
  new AppError(
    'cannot_start',
    `A command still uses DATA_DIR ${dataDir} after ${Math.round(waitMs / 1000)} seconds. Start the server again when the command has ended.`,
    { cause },
  )
