import type { DatabaseSync } from 'node:sqlite'
import { repositoryTitle } from '../../../shared/library.ts'
import { type ActiveJob, type Job, type JobState, toOrder, unfinishedStates } from './job.ts'

/** A library without content whose first parse or import is unfinished or has failed. */
export type UnservedLibrary = {
  key: string
  /** `/owner/repo` */
  id: string
  /** The name of the repository or its owner: the first parse reads the real title. */
  title: string
  aliases: string[]
  state: 'processing' | 'error'
  kind: 'parse' | 'import'
  /** Address and branch as the caller sent them; empty for an import. */
  repoUrl: string
  isRepository: boolean
  branch: string
  /** True if the repository is public: the server checks that before it queues a job for an anonymous caller. */
  isPublic: boolean
  updatedAt: string
  job: Pick<Job, 'id' | 'state' | 'filesDone' | 'filesTotal' | 'error'> & Pick<ActiveJob, 'statusMessage' | 'dueAt'>
}

export type UnservedLibraries = {
  /**
   * All such libraries, ordered by key. The same list until a job is queued, ends or is dismissed, so `job` may be older than
   * that of `find`.
   */
  list(): readonly UnservedLibrary[]
  find(key: string): UnservedLibrary | undefined
  /** Makes `list` read the database again. */
  changed(): void
}

/** Selects one job per library: unfinished before ended, newest first. SQLite takes the other columns from the row of the maximum. */
const select = (condition: string) => `
  SELECT * FROM (
    SELECT library, id, project, kind, state, request, files_done, files_total, status_message, due_at, coalesce(finished_at, created_at) AS updated_at,
      error, max(iif(state IN ${unfinishedStates}, 1e15, 0) + id)
    FROM jobs WHERE kind <> 'reindex' AND dismissed = 0 ${condition} GROUP BY library)
  WHERE state IN ('failed', 'queued', 'parsing', 'finalizing') AND NOT EXISTS (SELECT 1 FROM versions WHERE key = library)
  ORDER BY library`

export function unservedLibraries(db: DatabaseSync): UnservedLibraries {
  const all = db.prepare(select(''))
  const one = db.prepare(select('AND library = ?'))
  let listed: UnservedLibrary[] | undefined
  return {
    list() {
      listed ??= all.all().map(toUnserved)
      return listed
    },
    find(key) {
      const row = one.get(key)
      return row && toUnserved(row)
    },
    changed() {
      listed = undefined
    },
  }
}

function toUnserved(row: Record<string, unknown>): UnservedLibrary {
  const key = String(row.library)
  const { kind, request } = toOrder(row)
  const source = kind === 'parse' ? request : undefined
  const state = row.state as JobState
  const id = String(row.project).slice(0, key.length)
  const [, owner = '', repo = ''] = id.split('/')
  return {
    key,
    id,
    title: repositoryTitle({ owner, repo }),
    aliases: [],
    state: state === 'failed' ? 'error' : 'processing',
    kind: kind === 'import' ? 'import' : 'parse',
    repoUrl: source?.repoUrl ?? '',
    isRepository: source !== undefined && source.source === undefined,
    branch: source?.branch ?? '',
    isPublic: source?.anonymous ?? false,
    updatedAt: String(row.updated_at),
    job: {
      id: Number(row.id),
      state,
      filesDone: Number(row.files_done),
      filesTotal: Number(row.files_total),
      statusMessage: row.status_message === null ? null : String(row.status_message),
      dueAt: String(row.due_at),
      error: row.error === null ? null : String(row.error),
    },
  }
}
