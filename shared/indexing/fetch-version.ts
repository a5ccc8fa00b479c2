import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { folderLinks } from '../reading/discover/folder-links.ts'
import { listFiles } from '../reading/discover/list-files.ts'
import { patternPath } from '../reading/discover/missing-folders.ts'
import { type ProjectSettings, projectFileNames, readProjectFile } from '../reading/discover/read-project-file.ts'
import { selectionIn } from '../reading/discover/selection.ts'
import { findRef, type RefFound } from '../reading/git/remote-refs.ts'
import { visible } from '../text/visible-text.ts'
import type { IndexingCatalog, SourceSettings, StoredVersion } from './indexing-catalog.ts'
import type { Fetched, JobProgress, JobRun } from './job-run.ts'
import { namesNotFound } from './resolve-request.ts'

const maxProjectFileBytes = 256 * 1024

type ProjectBranch = NonNullable<SourceSettings['projectBranch']>

export type FetchRun = Pick<JobRun, 'source' | 'clones' | 'folder' | 'signal'> & {
  job: { request: Pick<JobRun['job']['request'], 'branch'> }
  progress: Pick<JobProgress, 'log' | 'stage'>
}

/**
 * Fetches the requested branch, else the one that the project file names, else the default branch. `known` is the branch that an earlier job
 * found in the project file; the default branch is then not fetched if it has not moved.
 */
export async function fetchDefault(
  run: FetchRun,
  earlierBranch?: ProjectBranch,
): Promise<Fetched & { projectBranch?: ProjectBranch }> {
  const requested = run.job.request.branch
  const current = knownBranch(run, earlierBranch)
  if (earlierBranch && current) return { ...(await fetchVersion(run, current.name)), projectBranch: earlierBranch }
  const fetched = await fetchVersion(run, requested)
  const { branch } = fetched.project
  if (requested !== undefined || branch === undefined || branch === fetched.ref) return fetched
  if (!hasRef(run, branch)) {
    run.progress.log(`The project file names the branch ${branch}, which does not exist; ${fetched.ref} is read.`)
    return fetched
  }
  run.progress.log(`The project file names the branch ${branch}.`)
  await run.clones.discard(fetched.folder)
  return { ...(await fetchVersion(run, branch)), projectBranch: { name: branch, namedBy: fetched.commit } }
}

/**
 * The commit of the branch that the project file names. Undefined if the project file may name another, or if the branch is gone.
 */
export function knownBranch(
  { job, source }: Pick<FetchRun, 'job' | 'source'>,
  earlierBranch: ProjectBranch | undefined,
): RefFound | undefined {
  if (
    job.request.branch !== undefined ||
    earlierBranch?.namedBy !== findRef(source).commit ||
    !hasRef({ source }, earlierBranch.name)
  )
    return undefined
  return findRef(source, earlierBranch.name)
}

/** Fetches a branch or tag into a new folder. Throws tag_not_found and what the source throws. */
export async function fetchVersion(run: FetchRun, ref: string | undefined): Promise<Fetched> {
  const { progress, source, signal } = run
  const folder = join(run.folder, randomBytes(4).toString('hex'))
  await mkdir(folder)
  const onProgress = ({ stage, percent }: { stage: string; percent: number }) =>
    progress.stage(`${ref === undefined ? '' : `${ref}: `}${stage}: ${percent} %`)
  const tree = await source.fetch({ ref, into: folder, signal, onProgress })
  progress.log(`Fetched ${tree.ref} at ${tree.commit.slice(0, 12)}.`)
  const { settings, problems } = await readProjectSettings(tree.dir)
  for (const problem of problems) progress.log(`Project file: ${problem}`)
  return { ...tree, ...(await folderLinks(tree, signal)), folder, project: settings }
}

function hasRef({ source }: Pick<FetchRun, 'source'>, name: string): boolean {
  try {
    findRef(source, name)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

async function readProjectSettings(dir: string): Promise<{ settings: ProjectSettings; problems: string[] }> {
  for (const name of projectFileNames) {
    const path = join(dir, name)
    const stats = await lstat(path).catch(() => undefined)
    if (!stats) continue
    // A link may lead to any file on this machine.
    if (!stats.isFile()) return { settings: {}, problems: [`${name} is not a regular file; it is ignored`] }
    if (stats.size > maxProjectFileBytes)
      return { settings: {}, problems: [`${name} is larger than ${maxProjectFileBytes / 1024} KB; it is ignored`] }
    return readProjectFile(await readFile(path), name)
  }
  return { settings: {}, problems: [] }
}

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
