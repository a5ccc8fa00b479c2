import { AppError } from '../../shared/errors.ts'
import type { StoredVersion } from '../../shared/indexing/indexing-catalog.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, parseLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { enqueueJob, type HostedJobs, type JobQueue } from './hosted-jobs.ts'

type RebuildPorts = {
  catalog: Pick<HostedCatalog, 'all' | 'record'>
  jobs: Pick<HostedJobs, 'active' | 'enqueue' | 'find'>
  queue: JobQueue
  snippets: Pick<SnippetStore, 'format'>
}

export const outdatedVersions = (versions: Iterable<StoredVersion>, current: number): StoredVersion[] =>
  [...versions].filter(({ format }) => format < current)

/**
 * Returns a function that queues the rebuild of one library with content in an old format, if no job is unfinished. The catalog is
 * read once per process. A rebuild that failed is not tried again for the same format.
 */
export function rebuildOutdated({ catalog, jobs, queue, snippets }: RebuildPorts): () => Promise<void> {
  const needsRebuild = ({ versions, triedFormat = 0 }: CatalogRecord) =>
    triedFormat < snippets.format && outdatedVersions(versions.values(), snippets.format).length > 0
  let waiting: LibraryId[] | undefined
  return async () => {
    if ((await jobs.active()).length > 0) return
    if (!waiting) {
      const outdated: LibraryId[] = []
      for await (const record of catalog.all()) if (needsRebuild(record)) outdated.push(parseLibraryId(record.id))
      waiting = outdated
    }
    for (let id = waiting[0]; id !== undefined; id = waiting[0]) {
      const record = await catalog.record(id)
      // A job may have been queued since.
      if (record && (await jobs.find(record.key))) return
      if (record && needsRebuild(record)) return enqueue(record)
      waiting.shift()
    }
  }

  async function enqueue({ key, id, settings, library }: CatalogRecord): Promise<void> {
    const request = {
      ...callerSettings(settings),
      repoUrl: library.sourceUrl,
      force: false,
      anonymous: !library.private,
      rebuild: true,
    }
    try {
      await enqueueJob({ jobs, queue }, { key, project: id, request })
    } catch (error) {
      if (error instanceof AppError && error.code === 'job_active') return
      throw error
    }
  }
}
