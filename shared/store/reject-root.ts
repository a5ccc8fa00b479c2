import { statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'

/**
 * Throws cannot_start if root would create files in the data directory of another user, who could not use them. The owner of the database decides,
 * before there is one that of the folder: the root of a container's volume often belongs to another user.
 */
export function rejectRoot(dataDir: string, uid = process.getuid?.()): void {
  if (uid !== 0) return
  const owner = ownerOf(join(dataDir, 'carrel.db')) ?? ownerOf(dataDir)
  if (owner === undefined || owner === 0) return
  const message = `DATA_DIR ${dataDir} belongs to the user with uid ${owner}, who could not use the files that root creates there. Run the command as that user (sudo -u '#${owner}'). Nothing was changed.`
  throw new AppError('cannot_start', message)
}

const ownerOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.uid
