import { createWriteStream, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../shared/errors.ts'
import { hasUnfinishedRestore } from '../../shared/store/restore-journal.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { megabytes } from '../../shared/text/figures.ts'
import type { BackupHeader } from './backup-header.ts'
import { checkDatabase } from './check-backup.ts'
import { readBackup } from './read-backup.ts'
import type { TarFile } from './read-tar.ts'
import { replaceContent, stagingFolder, syncFolder } from './replace-content.ts'
import { secretsKeyId } from './snapshot-databases.ts'

export type RestoreInput = {
  dataDir: string
  /** The path of the archive. */
  path: string
  now(): Date
  /** Called before anything is unpacked; it may throw. */
  onHeader(header: BackupHeader): void | Promise<void>
  /** Bytes that are unpacked. */
  onProgress(bytes: number): void
  /** Called with the folder of the checked new content, before it replaces the old; it may throw. */
  onChecked?(folder: string): void
  signal: AbortSignal
}

export type Restored = {
  header: BackupHeader
  /** Stored secrets that cannot be decrypted, because their key is neither in the archive nor in the data directory. */
  lostSecrets: string[]
  /** The folder of the old content; missing if there was none. */
  aside: string
}

/**
 * Unpacks an archive next to the content of a data directory, checks all of it, then replaces the content. If it fails, or is killed before the check
 * has ended, the old content is unchanged. The caller holds the lock of the data directory and has called `completeRestore`.
 */
export async function restoreBackup({
  dataDir,
  path,
  now,
  onHeader,
  onProgress,
  onChecked,
  signal,
}: RestoreInput): Promise<Restored> {
  const staging = stagingFolder(dataDir)
  const folders = new Set([staging])
  let unpackedBytes = 0
  const unpack = async ({ name, content }: TarFile) => {
    const target = join(staging, name)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    for (let folder = dirname(target); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
    async function* counted() {
      for await (const piece of content) {
        unpackedBytes += piece.length
        onProgress(unpackedBytes)
        yield piece
      }
    }
    const source = Readable.from(counted(), { objectMode: false })
    await pipeline(source, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }), { signal })
  }
  mkdirSync(staging, { mode: 0o700 })
  try {
    const header = await readBackup(path, {
      signal,
      async onHeader(header) {
        requireRoom(dataDir, header)
        await onHeader(header)
      },
      onFile: unpack,
    })
    checkDatabase(join(staging, 'carrel.db'), { path, header })
    onChecked?.(staging)
    for (const folder of folders) syncFolder(folder)
    const isReadable = header.withKeys || header.secretsKeyId === secretsKeyId(dataDir)
    const aside = `pre-restore-${now().toISOString().replaceAll(/[:.]/g, '-')}`
    replaceContent(dataDir, aside)
    return { header, lostSecrets: isReadable ? [] : header.secrets, aside: join(dataDir, aside) }
  } catch (error) {
    // If there is a journal, the next start continues.
    if (!hasUnfinishedRestore(dataDir)) rmSync(staging, { recursive: true, force: true })
    throw isFullDisk(error) ? fullDisk('Nothing was changed; make room and restore again.', error) : error
  }
}

/** The old content stays on the same disk. */
function requireRoom(dataDir: string, { sizeBytes }: BackupHeader): void {
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize > sizeBytes) return
  const [needed, free] = [sizeBytes, bavail * bsize].map((bytes) => megabytes(bytes, Math.ceil))
  const message = `The backup needs ${needed} next to the old content, and the disk of DATA_DIR has ${free}. Nothing was changed; make room and restore again.`
  throw new AppError('disk_full', message)
}
