import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../shared/errors.ts'
import { isFullDisk } from '../../shared/system/full-disk.ts'
import { syncFolder } from './replace-content.ts'

export const partialSuffix = '.partial'

/** Writes an archive to disk under a temporary name, which it loses when it is complete. Leaves nothing behind if it fails. */
export async function writeBackupFile(path: string, bytes: Readable, signal: AbortSignal): Promise<void> {
  const partial = path + partialSuffix
  try {
    await rm(partial, { force: true })
    await pipeline(bytes, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }), { signal })
    await rename(partial, path)
    syncFolder(dirname(path))
  } catch (error) {
    bytes.destroy()
    await rm(partial, { force: true }).catch(() => undefined)
    throw isFullDisk(error) ? noRoom(path, error) : error
  }
}

const noRoom = (path: string, cause: unknown) =>
  new AppError('internal_error', `The disk of ${dirname(path)} is full. No backup was written; make room and try again.`, {
    cause,
    shown: true,
  })
