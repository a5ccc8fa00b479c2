import { type LibraryId, libraryKey } from '../../shared/library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export type LocalPorts = { catalog: Pick<InstallCatalog, 'find'>; jobs: Pick<JobStore, 'activeOf'> }

/** True for the libraries of this install, and for those whose first parse is unfinished. */
export const isLocal = ({ catalog, jobs }: LocalPorts, id: LibraryId): boolean =>
  catalog.find(id) !== undefined || jobs.activeOf(libraryKey(id)) !== undefined
