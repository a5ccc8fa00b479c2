import { readdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../shared/errors.ts'
import { statisticsSuffix } from '../../../shared/store/generation-format.ts'

/**
 * True if the database has no library and never had a job, so that no table of content belongs to it. The server or the command
 * line recreates a lost database in this state.
 */
export const isUnused = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_sequence WHERE name = 'jobs' UNION ALL SELECT 1 FROM libraries").get() === undefined

/** The tables of content in a folder; none if the folder is missing. */
export function tablesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.lance'))
  } catch {
    return []
  }
}

/** The finished generations in a folder: those with statistics, which are written last. */
export const finishedIn = (folder: string): string[] =>
  tablesIn(folder).flatMap((name) => (name.endsWith(statisticsTable) ? [name.slice(0, -statisticsTable.length)] : []))

const statisticsTable = `${statisticsSuffix}.lance`

/** The error of a server that would delete content because its database does not know it. */
export const foreignTables = (db: DatabaseSync, snippetsDir: string): AppError =>
  new AppError(
    'cannot_start',
    `${snippetsDir} contains content that is not in the database ${db.location()}; the database was probably lost. Restore it from a backup, or move ${snippetsDir} away to start empty.`,
  )
