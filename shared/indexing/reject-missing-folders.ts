import { listFiles } from '../reading/discover/list-files.ts'
import { patternPath } from '../reading/discover/missing-folders.ts'
import { selectionIn } from '../reading/discover/selection.ts'
import { visible } from '../text/visible-text.ts'
import type { IndexingCatalog, StoredVersion } from './indexing-catalog.ts'
import type { Fetched, JobRun } from './job-run.ts'
import { namesNotFound } from './resolve-request.ts'

type FolderRun = Pick<JobRun, 'signal'> & {
  job: Pick<JobRun['job'], 'library' | 'request'>
  catalog: Pick<IndexingCatalog, 'settings'>
  limits: Pick<JobRun['limits'], 'list'>
}

/** The files with the folders that do not exist as skipped: those of the request and of the project file. */
export async function reportFolders({ job, limits, signal }: FolderRun, fetched: Fetched): Promise<Fetched> {
  const { folders = [], links, submodules } = selectionIn(job.request, fetched)
  const patterns = { folders, excludeFolders: job.request.excludeFolders ?? [], links, submodules }
  if (folders.length + patterns.excludeFolders.length === 0) return fetched
  const { skipped } = await listFiles({ missing: { root: fetched.dir, patterns } }, limits.list, signal)
  return { ...fetched, skipped: [...fetched.skipped, ...skipped.map(visible)] }
}

/** `reportFolders` that throws tag_not_found if a folder of the request does not exist, unless an earlier job has read it. */
export async function rejectMissingFolders(run: FolderRun, files: Fetched, stored: StoredVersion | undefined): Promise<Fetched> {
  const { folders = [] } = run.job.request
  const fetched = await reportFolders(run, files)
  const settings = stored ? await run.catalog.settings(run.job.library) : {}
  const read = new Set((settings.applied ?? settings).folders)
  const fields = folders.flatMap((folder, i) => {
    const missing = fetched.skipped.find(({ path }) => path === patternPath('folders', folder))
    return missing && !read.has(folder) ? [{ path: `folders.${i}`, message: missing.reason }] : []
  })
  if (fields.length > 0) throw namesNotFound(fields.map(({ message }) => message).join(' '), fields)
  return fetched
}
