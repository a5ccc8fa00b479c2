import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Vectors } from '../../shared/ai/vectors.ts'
import type { Log } from '../../shared/log.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { type ReadableBy, readableBy } from '../access/readable-by.ts'
import type { EventFeed } from '../events/event-feed.ts'
import { watchCatalog } from '../events/watch-catalog.ts'
import { watchJobs } from '../events/watch-jobs.ts'
import { type ImportFolder, importFolder } from '../import/import-folder.ts'
import type { Instruments } from '../monitoring/instruments.ts'
import { measureFinished } from '../monitoring/measure-runs.ts'
import { noteFailedJobs } from '../notifications/note-failed-jobs.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { type HostReaders, hostReaders } from '../store/catalog/host-readers.ts'
import { type LaterGenerations, laterGenerations } from '../store/catalog/later-generations.ts'
import { privateWarning } from '../store/catalog/private-warning.ts'
import { type InstallCatalog, sqliteCatalog } from '../store/catalog/sqlite-catalog.ts'
import { type JobStore, sqliteJobs } from '../store/jobs/job-store.ts'
import { type LibraryChecks, libraryChecks } from '../store/library-checks.ts'
import { type TextIndex, textIndex } from '../store/text-index/text-index.ts'
import { sqliteVectors } from '../store/vectors/sqlite-vectors.ts'
import type { EdgePorts } from './edge-ports.ts'

export type ContentPorts = {
  catalog: InstallCatalog
  readableBy: ReadableBy
  hostReaders: HostReaders
  snippets: SnippetStore
  textIndex: TextIndex
  laterGenerations: LaterGenerations
  vectors: Vectors
  jobs: JobStore
  checks: LibraryChecks
  imports: ImportFolder
}

type Input = Pick<EdgePorts, 'openSnippets' | 'now'> & {
  dataDir: string
  db: DatabaseSync
  vectorsDb: DatabaseSync
  settings: SettingsStore
  events: EventFeed
  instruments: Instruments
  notifications: Pick<Notifications, 'note'>
  log: Log
}

/** The folder of the tables of snippets. */
export const snippetsDirOf = (dataDir: string): string => join(dataDir, 'snippets')

/** Opens the libraries with their snippets and vectors, and the jobs and uploads that change them. */
export function openContent({
  openSnippets,
  now,
  dataDir,
  db,
  vectorsDb,
  settings,
  events,
  instruments,
  notifications,
  log,
}: Input): ContentPorts {
  const catalog = watchCatalog(sqliteCatalog(db, now), events, (id) => {
    const warning = privateWarning({ settings, catalog })
    if (warning !== undefined) log.warn({ library: id }, warning)
  })
  const vectors = sqliteVectors(vectorsDb, now)
  const snippets = openSnippets(snippetsDirOf(dataDir), log)
  const jobs = measureFinished(watchJobs(noteFailedJobs(sqliteJobs(db, now), notifications), events), instruments)
  return {
    catalog,
    readableBy: readableBy({ catalog, jobs }),
    hostReaders: hostReaders(db),
    snippets,
    textIndex: textIndex({ dataDir, catalog, snippets, log }),
    laterGenerations: laterGenerations(db, now),
    vectors,
    jobs,
    checks: libraryChecks(db),
    imports: importFolder(join(dataDir, 'imports'), jobs.stagedImports, log),
  }
}
