import { randomBytes } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import { AppError } from '../../shared/errors.ts'
import { statisticsSuffix } from '../../shared/store/generation-format.ts'
import { privateFolder } from '../../shared/store/open-data-dir.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { diskSize } from '../../shared/text/figures.ts'
import type { ImportFolder } from '../import/import-folder.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { DiskSpace } from '../store/data-dir/disk-guard.ts'
import { type ArchivedFile, databaseFiles, filesAt, keyFiles } from './archived-files.ts'
import { type BackupHeader, backupFormat } from './backup-header.ts'
import { secretsKeyId, snapshotDatabases } from './snapshot-databases.ts'
import { writeArchive } from './write-archive.ts'

export type BackupPorts = {
  dataDir: string
  version: string
  now(): Date
  catalog: Pick<InstallCatalog, 'hold'>
  imports: Pick<ImportFolder, 'hold'>
  maxPauseMs: number
  /** The space on the disk of a folder. Undefined if it cannot be read. */
  diskSpace(folder: string): DiskSpace | undefined
}

export type OpenBackup = {
  header: BackupHeader
  /** The archive, compressed. Closing it or its end lets the sweep delete the generations that were only kept for it. */
  bytes: Readable
}

/** Copies of the databases while an archive is written. */
const workFolder = (dataDir: string): string => join(dataDir, 'backup-work')

/** Deletes the remains of a killed process. Only the process that holds the lock of the data directory may call this. */
export const removeBackupWork = (dataDir: string): void => rmSync(workFolder(dataDir), { recursive: true, force: true })

/**
 * Backs an install up as it is now, while it serves and runs jobs. Content that is replaced or deleted meanwhile stays on disk until it is
 * copied. Memory does not grow with the content.
 */
export async function openBackup(ports: BackupPorts, withKeys: boolean, signal: AbortSignal): Promise<OpenBackup> {
  const { dataDir, catalog, imports } = ports
  const work = join(privateFolder(workFolder(dataDir)), randomBytes(4).toString('hex'))
  const kept = Promise.withResolvers<void>()
  const end = async () => {
    kept.resolve()
    await rm(work, { recursive: true, force: true })
  }
  const snapshot = snapshotDatabases(dataDir, ports.now)
  try {
    for (const generation of snapshot.generations) catalog.hold(generation, kept.promise)
    imports.hold(snapshot.imports, kept.promise)
    requireRoom(dataDir, ports)
    await snapshot.copyTo(privateFolder(work), signal)
    const { schema, secrets, libraries } = snapshot
    const { files, missing } = await filesOf(dataDir, work, { ...snapshot, withKeys })
    const header: BackupHeader = {
      product: 'carrel-backup',
      format: backupFormat,
      version: ports.version,
      schema,
      createdAt: ports.now().toISOString(),
      withKeys,
      secretsKeyId: secretsKeyId(dataDir),
      secrets,
      libraries: libraries.map(({ generation, ...library }) => ({ ...library, complete: !missing.has(generation) })),
      files: files.length,
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    }
    const bytes = readInTime(writeArchive(header, files), ports.maxPauseMs, signal)
    bytes.once('close', () => void end())
    return { header, bytes }
  } catch (error) {
    await end()
    signal.throwIfAborted()
    throw isFullDisk(error) ? fullDisk('No backup was made; make room and try again.', error) : error
  } finally {
    snapshot.close()
  }
}

/** Throws if the copies of the databases do not fit. If they filled the disk, other writes of the server would fail. */
function requireRoom(dataDir: string, { diskSpace }: Pick<BackupPorts, 'diskSpace'>): void {
  const free = diskSpace(dataDir)?.freeBytes
  const needed = databaseFiles.reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0)
  if (free === undefined || free > needed) return
  throw noRoom(`The copies of the databases need ${diskSize(needed)}, and the disk of DATA_DIR has ${diskSize(free)}.`)
}

const noRoom = (why: string) => new AppError('disk_full', `${why} No backup was made; make room and try again.`)

type Wanted = { generations: string[]; imports: string[]; withKeys: boolean }

/** The files of a backup, and the generations whose tables are missing. */
async function filesOf(dataDir: string, work: string, { generations, imports, withKeys }: Wanted) {
  const files: ArchivedFile[] = []
  const missing = new Set<string>()
  for (const name of databaseFiles) files.push(...(await filesAt(work, name)))
  for (const name of [...(withKeys ? keyFiles : []), 'vendor', ...imports.map((each) => `imports/${each}`)])
    files.push(...(await filesAt(dataDir, name)))
  for (const generation of generations) {
    for (const table of [generation, generation + statisticsSuffix]) {
      const tableFiles = await filesAt(dataDir, `snippets/${table}.lance`)
      if (tableFiles.length === 0) missing.add(generation)
      files.push(...tableFiles)
    }
  }
  return { files, missing }
}

/** The compressed archive, which fails if its reader pauses for too long. */
function readInTime(archive: AsyncGenerator<Buffer>, maxPauseMs: number, signal: AbortSignal): Readable {
  async function* watched() {
    for await (const piece of archive) {
      timer.refresh()
      yield piece
    }
  }
  const bytes = compressed(watched(), signal)
  const paused = new Error(`The reader of a backup took nothing for ${maxPauseMs / 1000} s.`)
  const timer = setTimeout(() => bytes.destroy(paused), maxPauseMs).unref()
  bytes.once('close', () => clearTimeout(timer))
  return bytes
}

/** Uses the fastest level, because vectors hardly shrink at any level. */
function compressed(archive: AsyncGenerator<Buffer>, signal: AbortSignal): Readable {
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }
  const source = Readable.from(archive, { objectMode: false, signal })
  const compress = createZstdCompress({ params })
  // Two pipelines and their reader listen, each to several events: more than the number at which Node suspects a leak.
  compress.setMaxListeners(20)
  // The error reaches the reader of the result.
  return pipeline(source, compress, () => undefined)
}
