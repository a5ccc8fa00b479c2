import { AppError } from '../../shared/errors.ts'
import { probeGit } from '../../shared/ingest/git/probe-git.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/ingest/git/repo-address.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { App } from '../app.ts'
import { limits } from '../limits.ts'
import type { JobRequest, ParseRequest } from './job.ts'

export type Queued = { message: string; project: string; queueId: number; position: number | null }
type Ports = Pick<App, 'jobs' | 'worker' | 'catalog' | 'gitHosts' | 'gitAccess'>

/**
 * Queues a parse. An anonymous caller never reaches what the host does not give to everyone: invalid_api_key.
 * Throws validation_error, duplicate_repo, job_active.
 */
export async function enqueueParse(app: Ports, asked: ParseRequest, anonymous: boolean): Promise<Queued> {
  const { generateDocs: _, ...request } = asked
  const address = parseRepoUrl(request.repoUrl, app.gitHosts())
  return enqueue(app, address, printLibraryId(address.id), { ...request, anonymous }, 'Parse queued')
}

/** Queues a parse of a library with the settings it was parsed with. Throws library_not_found, validation_error, job_active. */
export async function enqueueRefresh(app: Ports, id: LibraryId, anonymous: boolean): Promise<Queued> {
  const project = app.catalog.find(id)
  if (!project)
    throw new AppError('library_not_found', `${printLibraryId({ owner: id.owner, repo: id.repo })} is not in this install.`)
  if (project.imported) {
    throw new AppError(
      'validation_error',
      `${project.id} was imported: export it again where it came from, and import it with overwriting.`,
    )
  }
  const address = parseRepoUrl(project.sourceUrl, app.gitHosts())
  const request = { ...app.catalog.settings(id), repoUrl: project.sourceUrl, force: false, anonymous }
  return enqueue(app, address, project.id, request, 'Refresh queued')
}

/** Queues what a job was asked once more. Throws not_found, validation_error, job_active. */
export async function retry(app: Ports, id: number, anonymous: boolean): Promise<Queued> {
  const job = app.jobs.get(id)
  const stored = app.jobs.request(id)
  if (!job || !stored) throw new AppError('not_found', `There is no job ${id}.`)
  if (job.state !== 'failed' && job.state !== 'cancelled')
    throw new AppError('validation_error', `Job ${id} is ${job.state}; only a failed or cancelled job is retried.`)
  const address = parseRepoUrl(stored.request.repoUrl, app.gitHosts())
  return enqueue(app, address, job.project, { ...stored.request, anonymous }, 'Parse queued')
}

/** The library keeps its id, also where its repository has another name by now. */
async function enqueue(app: Ports, address: RepoAddress, project: string, request: JobRequest, message: string): Promise<Queued> {
  const library = parseLibraryId(project)
  refuseOtherHost(app, library, address)
  if (request.anonymous) await refusePrivate(app, address)
  const { id, position } = app.jobs.enqueue({ key: libraryKey(library), project, request })
  app.worker.wake()
  return { message, project, queueId: id, position }
}

function refuseOtherHost({ catalog }: Ports, id: LibraryId, address: RepoAddress): void {
  const held = catalog.find(id)
  if (!held || held.imported || held.sourceUrl.startsWith(`${address.baseUrl}/`)) return
  throw new AppError(
    'duplicate_repo',
    `${held.id} is here already, from ${held.sourceUrl}; ${address.webUrl} would have the same id. Delete the one to add the other.`,
  )
}

async function refusePrivate({ gitAccess }: Ports, address: RepoAddress): Promise<void> {
  const probed = await probeGit(address, { ...gitAccess, timeMs: limits.probeMs, signal: new AbortController().signal })
  if ('refused' in probed) {
    throw new AppError(
      'invalid_api_key',
      `${address.webUrl} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be parsed.`,
    )
  }
}
