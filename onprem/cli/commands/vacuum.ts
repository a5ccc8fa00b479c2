import { rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import type { Install } from '../../../shared/cli/install.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { AppError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/indexing/limits.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { asFullDisk } from '../../../shared/system/full-disk.ts'
import { fileSize } from '../../../shared/text/figures.ts'
import { completeRestore } from '../../backup/replace-content.ts'
import { readConfig } from '../../config.ts'
import { hasTextIndex, openTextIndex } from '../../store/text-index/open-text-index.ts'
import { openVectors } from '../../store/vectors/open-vectors.ts'
import { folderSize } from '../../support/folder-size.ts'
import { lockAlone } from '../api/lock-alone.ts'
import { progressOutput } from '../api/progress-output.ts'

/** The stores that a vacuum makes smaller, by their names in the data directory. */
const parts: Record<string, string[]> = {
  'carrel.db': ['carrel.db', 'carrel.db-wal'],
  'vectors.db': ['vectors.db', 'vectors.db-wal'],
  'texts.db': ['texts.db', 'texts.db-wal'],
  snippets: ['snippets'],
  imports: ['imports'],
  clones: ['clones'],
  'backup-work': ['backup-work'],
}

type Freed = { part: string; beforeBytes: number; afterBytes: number }
const columns: Columns<Freed> = {
  part: ({ part }) => part,
  before: ({ beforeBytes }) => fileSize(beforeBytes),
  after: ({ afterBytes }) => fileSize(afterBytes),
  freed: ({ beforeBytes, afterBytes }) => fileSize(beforeBytes - afterBytes),
}

export function vacuumCommand(program: Command, install: Install): void {
  program
    .command('vacuum')
    .description('give disk space back, while no server runs')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => printList(columns, await vacuum(install), { json }))
}

async function vacuum(install: Install): Promise<Freed[]> {
  install.requireInstall?.()
  const dataDir = install.dataDir()
  const progress = progressOutput()
  const lock = lockAlone(dataDir, 'vacuum')
  try {
    completeRestore(dataDir)
    const before = await sizesIn(dataDir)
    progress.show('Deleting content that nobody needs')
    // Opening the databases needs room that these files may take.
    for (const part of ['clones', 'backup-work']) rmSync(join(dataDir, part), { recursive: true, force: true })
    await sweep(dataDir, progress.remark)
    const databases = ['carrel.db', 'vectors.db', 'texts.db'].map((name) => join(dataDir, name))
    requireRoom(dataDir, Math.max(...databases.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)))
    progress.show('Rewriting the databases')
    for (const open of [openDatabase, openVectors, ...(hasTextIndex(dataDir) ? [openTextIndex] : [])]) {
      const db = open(dataDir)
      try {
        rewrite(db, dataDir)
      } finally {
        db.close()
      }
    }
    const after = await sizesIn(dataDir)
    return Object.keys(parts).map((part) => ({ part, beforeBytes: before[part] ?? 0, afterBytes: after[part] ?? 0 }))
  } finally {
    progress.clear()
    lock.release()
  }
}

/** Opening an install deletes what is not needed. No process can read the replaced files, so they are not kept. */
async function sweep(dataDir: string, remark: (line: string) => void): Promise<void> {
  // The module is only loaded here, because loading a server takes long.
  const { openInstall } = await import('../../open-install.ts')
  const config = { ...readConfig(process.env), HOST: '127.0.0.1', PUBLIC_URL: undefined }
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_: object, message: string) => remark(message),
    error: (_: object, message: string) => remark(message),
  }
  const edge = { limits: { ...limits, retiredMs: 0 } }
  const opened = await openInstall({ config, env: process.env, log, dataDir, rebuilds: false, edge })
  try {
    await opened.reserve.use(() => opened.begin())
  } finally {
    await opened.close()
  }
}

/** The temporary file is next to the database: the folder of the system for such files is often small, or memory. */
function rewrite(db: DatabaseSync, dataDir: string): void {
  try {
    db.exec(`PRAGMA temp_store_directory = '${dataDir.replaceAll("'", "''")}'`)
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw asFullDisk(error)
  } finally {
    db.exec("PRAGMA temp_store_directory = ''")
  }
}

/** SQLite writes the new database first to a temporary file, then to the log. */
function requireRoom(dataDir: string, sizeBytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize > 2 * sizeBytes) return
  throw new AppError(
    'disk_full',
    `A vacuum needs ${fileSize(2 * sizeBytes)}, and the disk of DATA_DIR has ${fileSize(bavail * bsize)}. What nobody needs was deleted; make room and try again.`,
  )
}

async function sizesIn(dataDir: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const [part, names] of Object.entries(parts)) {
    sizes[part] = 0
    for (const name of names) sizes[part] += await folderSize(join(dataDir, name))
  }
  return sizes
}
