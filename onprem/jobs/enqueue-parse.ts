import { AppError } from '../../shared/errors.ts'
import { isPublic } from '../../shared/ingest/git/is-public.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/ingest/git/repo-address.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { JobRequest, ParseRequest } from '../../shared/parse/parse-job.ts'
import { askedOf } from '../../shared/parse/source-settings.ts'
import type { App } from '../app.ts'
import { findProject } from '../store/find-project.ts'
import type { ImportRequest } from './job.ts'

export type Queued = { message: string; project: string; queueId: number; position: number | null }
type Ports = Pick<App, 'jobs' | 'worker' | 'catalog' | 'gitHosts' | 'gitAccess' | 'limits' | 'imports'>
type StoredImport = { key: string; request: ImportRequest }

/**
 * Queues a parse. An anonymous caller never reaches what the host does not give to everyone: invalid_api_key.
 * Throws validation_error, duplicate_repo, job_active, timeout.
 */
export async function enqueueParse(app: Ports, asked: ParseRequest, anonymous: boolean): Promise<Queued> {
  const { generateDocs: _, ...request } = asked
  const address = parseRepoUrl(request.repoUrl, app.gitHosts())
  const branch = branchOf(request, address)
  return enqueue(app, address, printLibraryId(address.id), { ...request, branch, anonymous }, 'Parse queued')
}

/**
 * Queues a parse of a library, with all its versions, with the settings it was parsed with; `branch` is read from here on.
 * Throws library_not_found, tag_not_found, validation_error, job_active, timeout.
 */
export async function enqueueRefresh(app: Ports, id: LibraryId, anonymous: boolean, branch?: string): Promise<Queued> {
  const project = findProject(app.catalog, id)
  if (project.imported) {
    throw new AppError(
      'validation_error',
      `${project.id} was imported: export it again where it came from, and import it with overwriting.`,
    )
  }
  const address = parseRepoUrl(project.sourceUrl, app.gitHosts())
  const asked = { ...askedOf(app.catalog.settings(id)), ...(branch === undefined ? {} : { branch }) }
  const request = { ...asked, repoUrl: project.sourceUrl, force: false, anonymous }
  return enqueue(app, address, project.id, request, 'Refresh queued')
}

/** Queues what a job was asked once more. Throws not_found, validation_error, job_active, timeout. */
export async function retry(app: Ports, id: number, anonymous: boolean): Promise<Queued> {
  const job = app.jobs.get(id)
  const stored = app.jobs.order(id)
  if (!job || !stored) throw new AppError('not_found', `There is no job ${id}.`)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${job.state}; only a failed or cancelled job is retried.`)
  if (stored.kind === 'import') return retryImport(app, job.project, stored)
  if (stored.kind !== 'parse') throw new AppError('validation_error', `Job ${id} cannot be retried.`)
  const address = parseRepoUrl(stored.request.repoUrl, app.gitHosts())
  return enqueue(app, address, job.project, { ...stored.request, anonymous }, 'Parse queued')
}

async function retryImport(app: Ports, project: string, { key, request }: StoredImport): Promise<Queued> {
  if (!(await app.imports.has(request.staged)))
    throw new AppError('validation_error', `What was to be imported of ${project} is no longer there. Import its bundle again.`)
  const { id, position } = app.jobs.enqueue({ key, project, kind: 'import', request })
  app.worker.wake()
  return { message: 'Import queued', project, queueId: id, position }
}

/** The library keeps its id, also where its repository has another name by now. */
async function enqueue(app: Ports, address: RepoAddress, project: string, request: JobRequest, message: string): Promise<Queued> {
  const library = parseLibraryId(project)
  // First, so that a caller without a key learns of nothing that is held unless its host gives it to everyone.
  if (request.anonymous) await refusePrivate(app, address)
  refuseOtherHost(app, library, address)
  const { id, position } = app.jobs.enqueue({ key: libraryKey(library), project, kind: 'parse', request })
  app.worker.wake()
  return { message, project, queueId: id, position }
}

function branchOf({ branch }: ParseRequest, address: RepoAddress): string | undefined {
  if (branch === undefined || address.branch === undefined || branch === address.branch) return branch ?? address.branch
  throw new AppError(
    'validation_error',
    `The address names the branch ${address.branch}, and branch says ${branch.slice(0, 100)}. Send one of them.`,
  )
}

function refuseOtherHost({ catalog, jobs }: Ports, id: LibraryId, address: RepoAddress): void {
  const isOther = (url: string) => !url.startsWith(`${address.baseUrl}/`)
  const same = `${address.webUrl} would have the same id.`
  const held = catalog.find(id)
  if (held && !held.imported && isOther(held.sourceUrl)) {
    throw new AppError(
      'duplicate_repo',
      `${held.id} is here already, from ${held.sourceUrl}; ${same} Delete the one to add the other.`,
    )
  }
  const active = jobs.activeOf(libraryKey(id))
  const order = active && jobs.order(active.id)
  const asked = order?.kind === 'parse' ? order.request.repoUrl : undefined
  if (active && asked && isOther(asked)) {
    throw new AppError(
      'duplicate_repo',
      `${active.project} is being parsed from ${asked}; ${same} Cancel job ${active.id} to add the other.`,
    )
  }
}

async function refusePrivate({ gitAccess, limits }: Ports, address: RepoAddress): Promise<void> {
  if (await isPublic(address, gitAccess, limits.probeMs)) return
  throw new AppError(
    'invalid_api_key',
    `${address.webUrl} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be parsed.`,
  )
}
