import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../shared/errors.ts'
import { isFullDisk } from '../../shared/system/full-disk.ts'
import { syncFolder } from './replace-content.ts'

export const partialSuffix = '.partial'

/** Writes an archive to disk under a temporary name, which it loses when it is complete. Leaves nothing behind if it fails. Errors name `what` it is. */
export async function writeBackupFile(path: string, bytes: Readable, signal: AbortSignal, what = 'backup'): Promise<void> {
  const partial = path + partialSuffix
  try {
    const file = await create(path, what)
    await pipeline(bytes, file.createWriteStream({ flush: true }), { signal })
    await rename(partial, path)
    syncFolder(dirname(path))
  } catch (error) {
    bytes.destroy()
    await rm(partial, { force: true }).catch(() => undefined)
    throw isFullDisk(error) ? noRoom(path, what, error) : error
  }
}

/** The file with the temporary name. Throws not_configured with one sentence. */
async function create(path: string, what: string): Promise<FileHandle> {
  try {
    await rm(path + partialSuffix, { force: true })
    return await open(path + partialSuffix, 'wx', 0o600)
  } catch (error) {
    if (isFullDisk(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'its folder does not exist' : code === 'EACCES' ? 'this user may not write there' : code
    throw new AppError('not_configured', `The file ${path} cannot be created: ${why}. No ${what} was written.`, {
      cause: error,
    })
  }
}

const noRoom = (path: string, what: string, cause: unknown) =>
  new AppError('disk_full', `The disk of ${dirname(path)} is full. No ${what} was written; make room and try again.`, { cause })
