import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ClientName } from '../../../shared/clients/entries.ts'
import type { ClientFile } from './client-files.ts'
import { UnusableFile } from './edit.ts'
import type { Home } from './home.ts'
import { deleteEmptyFolders, missingFolders } from './text-file.ts'

/** The changes of setup to one file, so that they can be undone exactly. */
export type ChangeRecord = {
  path: string
  what: ClientFile['what']
  /** The folder of the project; `undefined` if the file is for all projects. */
  project: string | undefined
  /** The clients that read the file. */
  clients: ClientName[]
  /** The text without our part; `undefined` if the file did not exist. */
  original: string | undefined
  mode: number | undefined
  /** The folders that were created for the file. */
  folders: string[]
  /** The servers that setup wrote, if the file is a configuration. */
  servers?: readonly string[]
  /** SHA-256 of the text that setup wrote. A file with another text was edited since. */
  written: string
}

export type ChangeRecords = {
  /** Throws UnusableFile. */
  get(path: string): ChangeRecord | undefined
  /** All records. Damaged ones are omitted. */
  list(): Pick<ChangeRecord, 'path' | 'what' | 'project' | 'clients'>[]
  /** Throws UnusableFile. */
  put(record: ChangeRecord): void
  delete(path: string): void
  /** If there are no records, deletes all other files of setup, such as the rest of a record whose deletion was interrupted. */
  deleteRest(): void
}

/** Backups of the changed files, in a folder that no client reads and no repository contains. */
export function changeRecords({ home, env }: Home): ChangeRecords {
  const { XDG_STATE_HOME: state = '' } = env
  // A relative one, which its specification lets programs ignore, could be in a repository.
  const folder = join(isAbsolute(state) ? state : join(home, '.local/state'), 'carrel/setup')
  /** The folders that were created for the backups. */
  const createdFile = join(folder, 'created.json')
  const folderOf = (path: string) => join(folder, createHash('sha256').update(path).digest('hex').slice(0, 16))
  const recordFile = (path: string) => join(folderOf(path), 'change.json')
  return {
    get(path) {
      const file = recordFile(path)
      if (!existsSync(file)) return undefined
      try {
        const { hasOriginal, ...record } = readRecord(file)
        return { ...record, original: hasOriginal ? readFileSync(join(folderOf(path), 'original'), 'utf8') : undefined }
      } catch {
        throw new UnusableFile(`was left alone, because its backup in ${folderOf(path)} is damaged; delete that folder`)
      }
    },
    list() {
      if (!existsSync(folder)) return []
      return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
        try {
          return each.isDirectory() ? [readRecord(join(folder, each.name, 'change.json'))] : []
        } catch {
          return []
        }
      })
    },
    put({ original, ...record }) {
      const own = folderOf(record.path)
      try {
        const created = missingFolders(createdFile)
        mkdirSync(own, { recursive: true, mode: 0o700 })
        if (created.length > 0) replace(createdFile, JSON.stringify(created))
        if (original !== undefined) replace(join(own, 'original'), original)
        replace(recordFile(record.path), `${JSON.stringify({ ...record, hasOriginal: original !== undefined }, null, 2)}\n`)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : error
        throw new UnusableFile(
          `was left alone, because its backup cannot be written to ${folder} (${code}); set XDG_STATE_HOME to another folder`,
        )
      }
    },
    delete(path) {
      rmSync(recordFile(path), { force: true })
      rmSync(folderOf(path), { recursive: true, force: true })
    },
    deleteRest() {
      const rest = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
      if (rest.some((each) => existsSync(join(each, 'change.json')))) return
      const created = readFolders(createdFile)
      for (const each of rest) if (each !== createdFile) rmSync(each, { recursive: true })
      rmSync(createdFile, { force: true })
      deleteEmptyFolders(created)
    },
  }
}

type StoredRecord = Omit<ChangeRecord, 'original'> & { hasOriginal: boolean }

/** Throws if the record is damaged. */
function readRecord(file: string): StoredRecord {
  const record = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(record.clients) || !Array.isArray(record.folders)) throw new Error(`${file} is damaged`)
  return record
}

/** None if the list is missing or damaged: empty folders do no harm. */
function readFolders(file: string): string[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}

/** Backups can hold keys of other servers. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
