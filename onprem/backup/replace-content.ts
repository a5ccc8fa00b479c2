import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { restoreJournal } from '../../shared/store/restore-journal.ts'
import { databaseFiles } from './archived-files.ts'

/** The folder in which a restore unpacks the archive, on the disk of the data directory. */
export const stagingFolder = (dataDir: string): string => join(dataDir, 'restore-new')

/**
 * Files that a restore replaces even if the archive lacks them: content, sign-ins, and files of the old content. Salts, clones,
 * models, other keys and older backups stay.
 */
const replaced = [
  ...databaseFiles.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  'imports',
  'snippets',
  'sessions.key',
  'initial-password',
  'reads',
]

/** Old content is moved `aside` first, then new content into its `place`. */
const Journal = z.object({ phase: z.enum(['aside', 'place']), aside: z.string().regex(/^pre-restore-[\w-]+$/) })
type Journal = z.infer<typeof Journal>

/** Replaces the content of the data directory by that of the staging folder. Can be killed at any moment: `completeRestore` continues. */
export function replaceContent(dataDir: string, aside: string): void {
  syncFolder(stagingFolder(dataDir))
  writeJournal(dataDir, { phase: 'aside', aside })
  completeRestore(dataDir)
}

/**
 * Completes a restore that was interrupted after it had checked the archive, or discards one that was interrupted earlier. Returns the folder of the
 * old content if it completed one; it is missing if there was none. Only the process that holds the lock of the data directory may call this.
 */
export function completeRestore(dataDir: string): string | undefined {
  const staging = stagingFolder(dataDir)
  const journal = readJournal(dataDir)
  if (journal) {
    if (journal.phase === 'aside') {
      moveAside(dataDir, journal.aside)
      writeJournal(dataDir, { ...journal, phase: 'place' })
    }
    if (existsSync(staging)) for (const name of readdirSync(staging)) renameSync(join(staging, name), join(dataDir, name))
    syncFolder(dataDir)
    removeIfEmpty(join(dataDir, journal.aside))
    rmSync(restoreJournal(dataDir))
  }
  rmSync(staging, { recursive: true, force: true })
  return journal && join(dataDir, journal.aside)
}

/**
 * Moves the old files aside. In this phase all names in the data directory are still old. If one cannot be moved, such as a mount
 * point, the restore is aborted.
 */
function moveAside(dataDir: string, aside: string): void {
  const folder = join(dataDir, aside)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const staged = readdirSync(stagingFolder(dataDir))
  for (const name of new Set([...replaced, ...staged])) {
    const path = join(dataDir, name)
    // A link counts even if its target is missing, such as a disk that is not mounted.
    if (!lstatSync(path, { throwIfNoEntry: false })) continue
    try {
      renameSync(path, join(folder, name))
    } catch (cause) {
      for (const moved of readdirSync(folder)) renameSync(join(folder, moved), join(dataDir, moved))
      removeIfEmpty(folder)
      rmSync(restoreJournal(dataDir))
      const why = (cause as NodeJS.ErrnoException).code === 'EBUSY' ? 'it is a mount point' : String((cause as Error).message)
      const message = `${path} cannot be moved aside: ${why}. Nothing was changed; restore into a DATA_DIR without it.`
      throw new AppError('cannot_start', message, { cause })
    }
  }
  syncFolder(folder)
  syncFolder(dataDir)
}

function writeJournal(dataDir: string, journal: Journal): void {
  const path = restoreJournal(dataDir)
  writeFileSync(`${path}.new`, `${JSON.stringify(journal)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
  syncFolder(dataDir)
}

function readJournal(dataDir: string): Journal | undefined {
  const path = restoreJournal(dataDir)
  if (!existsSync(path)) return undefined
  try {
    return Journal.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const message = `The file ${path} of an interrupted restore is damaged. Restore the backup into an empty DATA_DIR.`
    throw new AppError('cannot_start', message, { cause })
  }
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

/** Makes renames in a folder survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
