import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { folderLinks } from '../reading/discover/folder-links.ts'
import { type ProjectSettings, projectFileNames, readProjectFile } from '../reading/discover/read-project-file.ts'
import { fetchGit } from '../reading/git/fetch-git.ts'
import { findRef, type RefFound } from '../reading/git/remote-refs.ts'
import type { SourceSettings } from './indexing-catalog.ts'
import type { Fetched, JobProgress, JobRun } from './job-run.ts'

const maxProjectFileBytes = 256 * 1024

type ProjectBranch = NonNullable<SourceSettings['projectBranch']>

export type FetchRun = Pick<JobRun, 'remote' | 'token' | 'gitAccess' | 'clones' | 'folder' | 'signal'> & {
  job: { request: Pick<JobRun['job']['request'], 'branch'> }
  progress: Pick<JobProgress, 'log' | 'stage'>
  limits: Pick<JobRun['limits'], 'clone'>
}

/**
 * Fetches the requested branch, else the one that the project file names, else the default branch. `known` is the branch that an earlier job
 * found in the project file; the default branch is then not fetched if it has not moved.
 */
export async function fetchDefault(run: FetchRun, known?: ProjectBranch): Promise<Fetched & { projectBranch?: ProjectBranch }> {
  const requested = run.job.request.branch
  const current = knownBranch(run, known)
  if (known && current) return { ...(await fetchVersion(run, current.name)), projectBranch: known }
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
  { job, remote }: Pick<FetchRun, 'job' | 'remote'>,
  known: ProjectBranch | undefined,
): RefFound | undefined {
  if (job.request.branch !== undefined || known?.namedBy !== findRef(remote).commit || !hasRef({ remote }, known.name))
    return undefined
  return findRef(remote, known.name)
}

/** Fetches a branch or tag into a new folder. Throws tag_not_found and what `fetchGit` throws. */
export async function fetchVersion(run: FetchRun, ref: string | undefined): Promise<Fetched> {
  const { progress, remote, token, gitAccess, limits, signal } = run
  const folder = join(run.folder, randomBytes(4).toString('hex'))
  await mkdir(folder)
  const onProgress = ({ stage, percent }: { stage: string; percent: number }) =>
    progress.stage(`${ref === undefined ? '' : `${ref}: `}${stage}: ${percent} %`)
  const tree = await fetchGit(remote, { ...gitAccess, token, ref, into: folder, limits: limits.clone, signal, onProgress })
  progress.log(`Fetched ${tree.ref} at ${tree.commit.slice(0, 12)}.`)
  const { settings, problems } = await readProjectSettings(tree.dir)
  for (const problem of problems) progress.log(`Project file: ${problem}`)
  return { ...tree, ...(await folderLinks(tree, signal)), folder, project: settings }
}

function hasRef({ remote }: Pick<FetchRun, 'remote'>, name: string): boolean {
  try {
    findRef(remote, name)
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
