import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { InstallLibrary } from '../store/catalog/install-library.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

/** The caller of the jobs that the server queues by itself, which take turns with those of people. */
export const scheduleCaller = 'schedule'

type QueueRefreshPorts = { catalog: Pick<InstallCatalog, 'settings'>; jobs: Pick<JobStore, 'enqueueAll'> }

/**
 * Queues a refresh, unless an unfinished job of the library reads it. A library whose repository is public is read without a token, so that
 * one that becomes private is not read before a person asks for it.
 */
export function queueRefresh({ catalog, jobs }: QueueRefreshPorts, { id, sourceUrl, private: isPrivate }: InstallLibrary): void {
  const library = parseLibraryId(id)
  const settings = callerSettings(catalog.settings(library))
  const request = { ...settings, repoUrl: sourceUrl, force: false, anonymous: !isPrivate }
  jobs.enqueueAll([{ library, kind: 'parse', request, caller: scheduleCaller }])
}
