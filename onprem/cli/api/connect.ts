import { setTimeout as sleep } from 'node:timers/promises'
import type { Install } from '../../../shared/cli/install.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import { isDataDirLocked, isLocked, lockDataDir } from '../../../shared/store/open-data-dir.ts'
import { rejectRoot } from '../../../shared/store/reject-root.ts'
import { completeRestore } from '../../backup/replace-content.ts'
import { readCommandFile, readServerFile, removeServerFiles, writeCommandFile } from '../../store/data-dir/server-file.ts'
import { connectServer } from './connect-server.ts'
import type { Connection } from './connection.ts'

/** Maximum time that a command waits for another one, or for a server that starts or stops. */
const maxWaitMs = 5_000
const pauseMs = 50

/**
 * Connects to the running server of the install, or opens the install in this process if no server runs. `command` is named to other commands
 * that wait. Throws cannot_start if another process uses the data directory and does not respond.
 */
export async function connect(install: Install, command: string, log: Log): Promise<Connection> {
  const dataDir = install.dataDir()
  if (!isDataDirLocked(dataDir)) rejectRoot(dataDir)
  const end = performance.now() + maxWaitMs
  for (;;) {
    // A server holds the lock. Without it, another program may listen at the address of a server that was killed.
    const lock = lockIfFree(dataDir)
    if (lock) {
      try {
        removeServerFiles(dataDir)
        writeCommandFile(dataDir, { pid: process.pid, command })
        completeRestore(dataDir)
        // The module is only loaded here, because loading a server takes longer than asking one.
        const { connectLocally } = await import('./connect-locally.ts')
        return await connectLocally({ dataDir, lock, env: process.env, log })
      } catch (error) {
        try {
          removeServerFiles(dataDir)
        } finally {
          lock.release()
        }
        throw error
      }
    }
    const server = readServerFile(dataDir)
    const connected = server && (await connectServer(server))
    if (connected) return connected
    if (performance.now() > end) throw inUse(dataDir)
    await sleep(pauseMs)
  }
}

/** Connects to the running server. Undefined if none responds. Throws cannot_start if its version is another one. */
export async function connectAgain(dataDir: string): Promise<Connection | undefined> {
  const server = isDataDirLocked(dataDir) ? readServerFile(dataDir) : undefined
  return server && connectServer(server)
}

function lockIfFree(dataDir: string): { release(): void } | undefined {
  try {
    return lockDataDir(dataDir, 'onprem')
  } catch (error) {
    if (isLocked(error)) return undefined
    throw error
  }
}

function inUse(dataDir: string): AppError {
  const command = readCommandFile(dataDir)
  const server = readServerFile(dataDir)
  if (command) {
    const wait = 'Run this command when it has ended. While a server runs, commands can run at the same time.'
    return new AppError(
      'cannot_start',
      `The command "${command.command}" (process ${command.pid}) uses DATA_DIR ${dataDir}. ${wait}`,
    )
  }
  const process = server ? `The server at ${server.url} (process ${server.pid})` : 'Another process'
  return new AppError(
    'cannot_start',
    `${process} uses DATA_DIR ${dataDir}, but does not respond. Wait until it has started or stopped.`,
  )
}
