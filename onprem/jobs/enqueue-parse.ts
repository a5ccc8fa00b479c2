import type { Ai } from '../../shared/ai/ai.ts'
import { AppError } from '../../shared/errors.ts'
import type { JobRequest, ParseRequest } from '../../shared/indexing/index-job.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import { isPublic } from '../../shared/reading/git/is-public.ts'
import { type GitHosts, parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { findProject } from '../store/find-project.ts'
import type { JobStore } from '../store/job-store.ts'
import type { ProjectCatalog } from '../store/sqlite-catalog.ts'
import type { JobWorker } from './worker.ts'

export type Queued = { message: string; project: string; queueId: number; position: number | null }
export type ParsePorts = {
  jobs: Pick<JobStore, 'enqueue' | 'activeOf' | 'order' | 'unserved'>
  worker: Pick<JobWorker, 'wake'>
  catalog: Pick<ProjectCatalog, 'find' | 'settings'>
  settings: Pick<SettingsStore, 'get'>
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  limits: Pick<Limits, 'probeMs'>
  ai: Pick<Ai, 'llm'>
}

/**
 * Queues a parse. An anonymous caller only adds: forbidden for a choice of what is read, duplicate_repo for a library that exists,
 * invalid_api_key for a repository that its host does not serve to everyone. Throws validation_error, duplicate_repo, job_active, timeout.
 */
export async function enqueueParse(ports: ParsePorts, asked: ParseRequest, anonymous: boolean): Promise<Queued> {
  if (anonymous) refuseChoices(asked)
  const address = parseRepoUrl(asked.repoUrl, ports.gitHosts())
  const branch = branchOf(asked, address)
  const project = printLibraryId(address.id)
  if (!anonymous) return enqueue(ports, address, project, { ...asked, branch, anonymous }, 'Parse queued')
  if (branch !== undefined) throw choiceNeedsKey('A branch')
  await refusePrivate(ports, address)
  // The library may have been added while the host was asked, so nothing may be awaited between this lookup and the queue.
  if (ports.catalog.find(address.id)) return refreshInstead(ports, address)
  return enqueue(ports, address, project, { ...asked, anonymous, adds: true }, 'Parse queued')
}

/**
 * Queues a parse of a library, with all its versions, with the settings it was parsed with; one whose first parse failed is parsed as it
 * was requested then. `branch` is read from here on. Throws library_not_found, tag_not_found, validation_error, job_active, timeout.
 */
export async function enqueueRefresh(ports: ParsePorts, id: LibraryId, anonymous: boolean, branch?: string): Promise<Queued> {
  const probed = refreshable(ports, id)
  const address = parseRepoUrl(probed.repoUrl, ports.gitHosts())
  if (anonymous) await refusePrivate(ports, address)
  // The library may have been parsed with other settings, or deleted, while its host was asked.
  const { project, repoUrl, settings } = refreshable(ports, id)
  if (repoUrl !== probed.repoUrl) return enqueueRefresh(ports, id, anonymous, branch)
  const asked = { ...callerSettings(settings), ...(branch === undefined ? {} : { branch }) }
  const request = { ...asked, repoUrl: address.webUrl, force: false, anonymous }
  return enqueue(ports, address, project, request, 'Refresh queued')
}

/** Queues what a parse was asked once more, for a caller with a key. Throws validation_error, job_active, duplicate_repo. */
export function enqueueAgain(ports: ParsePorts, project: string, { adds: _, ...request }: JobRequest): Queued {
  const address = parseRepoUrl(request.repoUrl, ports.gitHosts())
  return enqueue(ports, address, project, { ...request, anonymous: false }, 'Parse queued')
}

type Refreshable = { project: string; repoUrl: string; settings: SourceSettings }

function refreshable({ catalog, jobs }: ParsePorts, id: LibraryId): Refreshable {
  const first = catalog.find(id) ? undefined : jobs.unserved.find(libraryKey(id))
  const order = first && jobs.order(first.job.id)
  if (first && order?.kind === 'parse') return { project: first.id, repoUrl: order.request.repoUrl, settings: order.request }
  if (first) throw wasImported(first.id)
  const { id: project, imported, sourceUrl } = findProject(catalog, id)
  if (imported) throw wasImported(project)
  return { project, repoUrl: sourceUrl, settings: catalog.settings(id) }
}

const wasImported = (project: string): AppError =>
  new AppError('validation_error', `${project} was imported: export it again where it came from, and import it with overwriting.`)

/** The library keeps its id, also where its repository has another name by now. */
function enqueue(ports: ParsePorts, address: RepoAddress, project: string, request: JobRequest, message: string): Queued {
  const library = parseLibraryId(project)
  rejectImported(ports, library, request)
  refuseOtherHost(ports, library, address)
  if (request.generateDocs && !ports.ai.llm()) {
    throw new AppError(
      'validation_error',
      `Documentation is generated by a language model, and none is set: set llm.provider and llm.model, or parse ${project} without generateDocs.`,
    )
  }
  const { id, position } = ports.jobs.enqueue({ key: libraryKey(library), project, kind: 'parse', request })
  ports.worker.wake()
  return { message, project, queueId: id, position }
}

function refuseChoices({ repoUrl: _, ...choices }: ParseRequest): void {
  for (const [field, value] of Object.entries(choices)) if (value !== undefined && value !== false) throw choiceNeedsKey(field)
}

const choiceNeedsKey = (what: string): AppError =>
  new AppError(
    'forbidden',
    `${what} requires an API key: without one, a repository is added with its default branch and settings.`,
  )

/** The library exists: what an anonymous caller asks is a refresh, if that is open to everyone. */
async function refreshInstead(ports: ParsePorts, address: RepoAddress): Promise<Queued> {
  refuseOtherHost(ports, address.id, address)
  const held = findProject(ports.catalog, address.id)
  if (ports.settings.get('permissions.anonymousRefresh') && !held.imported) return enqueueRefresh(ports, address.id, true)
  throw new AppError('duplicate_repo', `${held.id} exists already. Send an API key of this install to parse it again.`)
}

function branchOf({ branch }: ParseRequest, address: RepoAddress): string | undefined {
  if (branch === undefined || address.branch === undefined || branch === address.branch) return branch ?? address.branch
  throw new AppError(
    'validation_error',
    `The address names the branch ${address.branch}, and branch says ${branch.slice(0, 100)}. Send one of them.`,
  )
}

/** Its source is unknown here, so nothing could bring its content back. */
function rejectImported({ catalog }: ParsePorts, id: LibraryId, { force }: JobRequest): void {
  const held = catalog.find(id)
  if (!held?.imported || force) return
  throw new AppError(
    'duplicate_repo',
    `${held.id} was imported. Parse it with force to replace the imported content with what its repository holds.`,
  )
}

function refuseOtherHost({ catalog, jobs }: ParsePorts, id: LibraryId, address: RepoAddress): void {
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

/** Called first, so that a caller without a key learns of nothing that is held unless its host serves it to everyone. */
async function refusePrivate({ gitAccess, limits }: ParsePorts, address: RepoAddress): Promise<void> {
  if (await isPublic(address, gitAccess, limits.probeMs)) return
  throw new AppError(
    'invalid_api_key',
    `${address.webUrl} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be parsed.`,
  )
}
