import { libraryKey, parseLibraryId } from '../../shared/library.ts'
import type { JobEnd } from '../jobs/job-worker.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { LibraryChecks } from '../store/library-checks.ts'
import { dueAfter } from './check-due.ts'

type NoteJobEndPorts = Parameters<typeof dueAfter>[0] & {
  jobs: Pick<JobStore, 'get'>
  checks: Pick<LibraryChecks, 'record'>
  now(): Date
}

/** Returns a function that records that a job has read a library, or why it could not. */
export const noteJobEnd =
  (ports: NoteJobEndPorts) =>
  (id: number, { state, error }: JobEnd): void => {
    const job = ports.jobs.get(id)
    if (!job || job.kind === 'reindex' || state === 'cancelled') return
    const { owner, repo } = parseLibraryId(job.project)
    const library = { owner, repo }
    if (!ports.catalog.find(library) || (state === 'failed' && job.kind === 'import')) return
    const at = ports.now()
    const outcome = state === 'done' ? 'refreshed' : 'refresh failed'
    const next = dueAfter(ports, library, at)
    ports.checks.record(libraryKey(library), { at, responded: state === 'done', outcome, ...next, ...(error && { error }) })
  }
