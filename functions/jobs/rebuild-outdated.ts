import { AppError } from '../../shared/errors.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { SnippetStore } from '../../shared/search/rows/snippet-store.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { enqueueJob, type HostedJobs, type JobQueue } from './hosted-jobs.ts'

type RebuildPorts = {
  catalog: Pick<HostedCatalog, 'all' | 'record'>
  jobs: Pick<HostedJobs, 'active' | 'enqueue'>
  queue: JobQueue
  snippets: Pick<SnippetStore, 'format'>
  /** Number of jobs that may run at the same time. */
  workers: number
}

export const outdatedVersions = <Version extends { format: number }>(versions: Iterable<Version>, current: number): Version[] =>
  [...versions].filter(({ format }) => format < current)

/**
 * Returns a function that queues rebuilds of libraries with content in an old format: as many as there are workers without a job. The catalog is
 * read once per process. A rebuild that failed is not tried again for the same format.
 */
export function rebuildOutdated({
  catalog,
  jobs,
  queue,
  snippets,
  workers,
}: RebuildPorts): (signal?: AbortSignal) => Promise<void> {
  const needsRebuild = ({ versions, triedFormat = 0 }: CatalogRecord) =>
    triedFormat < snippets.format && outdatedVersions(versions.values(), snippets.format).length > 0
  let waiting: Map<string, string> | undefined
  const outdated = async () => {
    const ids = new Map<string, string>()
    for await (const record of catalog.all()) if (needsRebuild(record)) ids.set(record.key, record.id)
    return ids
  }
  return async (signal) => {
    const active = new Set((await jobs.active()).map(({ key }) => key))
    let free = workers - active.size
    if (free <= 0) return
    waiting ??= await outdated()
    for (const [key, id] of waiting) {
      if (free <= 0 || signal?.aborted) return
      if (active.has(key)) continue
      const record = await catalog.record(parseLibraryId(id))
      if (record && needsRebuild(record)) {
        await enqueue(record)
        free -= 1
      } else waiting.delete(key)
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
