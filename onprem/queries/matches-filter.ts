import type { Project } from '../store/catalog/project.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export const origins = ['parsed', 'imported', 'private', 'generated'] as const
export const states = ['finalized', 'processing', 'error'] as const
export type ProjectFilter = { origin?: (typeof origins)[number] | undefined; state?: (typeof states)[number] | undefined }

/** Returns a test for libraries. A library with content that is parsed again is both finalized and processing. */
export function matchesFilter(
  { jobs }: { jobs: Pick<JobStore, 'active'> },
  { origin, state }: ProjectFilter,
): (project: Project) => boolean {
  const busy = new Set(state === 'processing' ? jobs.active().map(({ project }) => libraryOf(project)) : [])
  return (project) =>
    (origin === undefined || (origin === 'parsed' ? !project.imported : project[origin])) &&
    (state === undefined || project.state === state || busy.has(project.id.toLowerCase()))
}

/** The key of the library, without the version that a job may name. */
const libraryOf = (project: string): string => project.toLowerCase().split('/').slice(0, 3).join('/').replace(/@.*/, '')
