import { readdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../shared/errors.ts'
import { statisticsSuffix } from '../../shared/store/lance-writer.ts'

/**
 * Whether the database knows no library and has never had a job: no table of content can be its own then. A database that was lost is
 * made anew like this, by the server or by the command line.
 */
export const isUnused = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_sequence WHERE name = 'jobs' UNION ALL SELECT 1 FROM libraries").get() === undefined

/** The tables of content that lie in a folder; none where it is missing. */
export function tablesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.lance'))
  } catch {
    return []
  }
}

/** The generations of a folder that are finished: their statistics are written last. */
export const finishedIn = (folder: string): string[] =>
  tablesIn(folder).flatMap((name) => (name.endsWith(statisticsTable) ? [name.slice(0, -statisticsTable.length)] : []))

const statisticsTable = `${statisticsSuffix}.lance`

/** What a server says that finds content which its database does not know, and which it would delete. */
export const foreignTables = (db: DatabaseSync, snippetsDir: string): AppError =>
  new AppError(
    'internal_error',
    `${snippetsDir} holds content that the database ${db.location()} knows nothing of, as if that had been lost; restore it from a backup, or move ${snippetsDir} away to start empty.`,
  )
