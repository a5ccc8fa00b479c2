import type { Ai } from '../../shared/ai/ai.ts'
import { AppError } from '../../shared/errors.ts'
import type { JobRequest, ParseRequest } from '../../shared/indexing/index-job.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import type { Limits } from '../../shared/indexing/limits.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { splitAt, treeOf, withBranch } from '../../shared/indexing/split-tree.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId, shownId } from '../../shared/library.ts'
import { segmentsOf } from '../../shared/reading/discover/path-matcher.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { isPublic } from '../../shared/reading/git/is-public.ts'
import { parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type Caller, ownerOf, turnOf } from '../access/caller.ts'
import { mayReplace, notYours, requireReplace } from '../access/may-replace.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { JobWorker } from '../jobs/job-worker.ts'
import type { LibraryOwners } from '../store/catalog/library-owners.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import { findProject } from '../store/catalog/visible-projects.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

export type Queued = { message: string; project: string; queueId: number; position: number | null }
export type ParsePorts = {
  jobs: Pick<JobStore, 'enqueue' | 'activeOf' | 'order' | 'unserved'>
  owners: Pick<LibraryOwners, 'of' | 'set'>
  audit: Pick<AuditLog, 'record'>
  atomically: Atomically
  worker: Pick<JobWorker, 'wake'>
  catalog: Pick<ProjectCatalog, 'find' | 'settings'>
  settings: Pick<SettingsStore, 'get'>
  gitHosts(): GitHosts
  gitAccess: Omit<GitAccess, 'token'>
  limits: Pick<Limits, 'probeMs'>
  ai: Pick<Ai, 'llm'>
}

/**
 * Queues a parse. Callers who may not replace an existing library can only refresh it; other settings or `force` are forbidden. Anonymous callers can only add public repositories with default settings: they get forbidden for any other setting,
 * duplicate_repo for an existing library and invalid_api_key for a private repository, or one whose id belongs to a library that `isHidden`
 * from them. Throws validation_error, duplicate_repo, job_active, timeout.
 */
export async function enqueueParse(
  ports: ParsePorts,
  request: ParseRequest,
  caller: Caller,
  isHidden: (address: RepoAddress) => boolean = () => false,
): Promise<Queued> {
  const anonymous = isAnonymous(caller)
  if (anonymous) rejectSettings(request)
  const { address, request: wanted } = readRequest(ports, request)
  if (!anonymous && mayReplace(ports, caller, address.id))
    return enqueue(ports, caller, address, address.id, { ...wanted, anonymous }, parseQueued)
  if (!anonymous) return refreshUnchanged(ports, caller, address, address.id, wanted)
  if (wanted.branch !== undefined || wanted.tree !== undefined) throw settingNeedsKey('A branch')
  await rejectPrivate(ports, address)
  if (isHidden(address)) throw notPublic(address)
  // The library may have been added during the request to the host, so nothing may be awaited between this lookup and the queue.
  if (ports.catalog.find(address.id)) return refreshInstead(ports, caller, address)
  return enqueue(ports, caller, address, address.id, { ...wanted, anonymous, adds: true }, parseQueued)
}

/**
 * Queues a parse of a library and all its versions with its stored settings; after a failed first parse, with those of that request.
 * `branch` replaces the stored branch. Throws library_not_found, tag_not_found, forbidden, validation_error, job_active, timeout.
 */
export async function enqueueRefresh(ports: ParsePorts, id: LibraryId, caller: Caller, branch?: string): Promise<Queued> {
  const anonymous = isAnonymous(caller)
  const probed = refreshable(ports, id)
  const address = parseRepoUrl(probed.repoUrl, ports.gitHosts())
  if (anonymous) await rejectPrivate(ports, address)
  // The library may have been parsed with other settings, or deleted, during the request to its host.
  const { library, repoUrl, settings } = refreshable(ports, id)
  if (repoUrl !== probed.repoUrl) return enqueueRefresh(ports, id, caller, branch)
  if (branch !== undefined && branch !== settings.branch) requireReplace(ports, caller, library, 'choose another branch')
  const stored = callerSettings(settings)
  const wanted = branch === undefined ? stored : withBranch(stored, branch)
  const request = { ...wanted, repoUrl: address.webUrl, force: false, anonymous }
  return enqueue(ports, caller, address, library, request, refreshQueued)
}

/** Queues the request of an earlier parse again, for a caller with a key. Throws forbidden, validation_error, job_active, duplicate_repo. */
export async function enqueueAgain(
  ports: ParsePorts,
  caller: Caller,
  library: LibraryId,
  { adds: _, ...request }: JobRequest,
): Promise<Queued> {
  const address = parseRepoUrl(request.repoUrl, ports.gitHosts())
  if (!mayReplace(ports, caller, library)) return refreshUnchanged(ports, caller, address, library, request)
  return enqueue(ports, caller, address, library, { ...request, anonymous: false }, parseQueued)
}

/** A parse request, and the parts of its address. */
type NamedRequest = ParseRequest & Pick<JobRequest, 'tree'>

const isAnonymous = ({ holder }: Caller): boolean => holder === undefined

const parseQueued = 'Parse queued'
const refreshQueued = 'Refresh queued'

/** A caller who has not added a library can have it read again only as it was read before. Omitted values stay as stored. */
function refreshUnchanged(
  ports: ParsePorts,
  caller: Caller,
  address: RepoAddress,
  library: LibraryId,
  request: NamedRequest,
): Promise<Queued> {
  rejectOtherHost(ports, library, address)
  rejectChange(ports, library, request)
  return enqueueRefresh(ports, library, caller)
}

function rejectChange({ catalog }: Pick<ParsePorts, 'catalog'>, id: LibraryId, request: NamedRequest): void {
  const { branch, folders = [], ...others } = callerSettings(catalog.settings(id))
  const tree = folders.length > 1 ? undefined : [branch, ...folders].join('/')
  const stored = { ...others, branch, folders, tree }
  const isOther = Object.entries(callerSettings(request)).some(
    ([name, value]) =>
      value !== undefined && value !== false && JSON.stringify(value) !== JSON.stringify(stored[name as keyof typeof stored]),
  )
  if (request.force || isOther) throw new AppError('forbidden', notYours(id, 'parse it with force or with other settings'))
}

type Refreshable = { library: LibraryId; repoUrl: string; settings: SourceSettings }

function refreshable({ catalog, jobs }: ParsePorts, id: LibraryId): Refreshable {
  const first = catalog.find(id) ? undefined : jobs.unserved.find(libraryKey(id))
  const order = first && jobs.order(first.job.id)
  if (first && order?.kind === 'parse')
    return { library: parseLibraryId(first.id), repoUrl: order.request.repoUrl, settings: order.request }
  if (first) throw wasImported(first.id)
  const { id: project, imported, sourceUrl } = findProject(catalog, id)
  if (imported) throw wasImported(project)
  return { library: parseLibraryId(project), repoUrl: sourceUrl, settings: catalog.settings(id) }
}

const wasImported = (project: string): AppError =>
  new AppError(
    'validation_error',
    `${project} was imported and has no repository to refresh it from. Export it again at its source, then import it with force.`,
  )

/** The address of a request, and the request with the parts of the address. Throws validation_error. */
function readRequest({ gitHosts }: Pick<ParsePorts, 'gitHosts'>, request: ParseRequest) {
  const address = inField('repoUrl', () => parseRepoUrl(request.repoUrl, gitHosts()))
  return { address, request: withAddress(request, address) }
}

/** Names the field that a validation_error of `read` is about. */
export function inField<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_error') throw error
    throw invalid(path, error.message, error)
  }
}

/** A validation_error whose message is a whole sentence. */
const invalid = (path: string, message: string, cause?: unknown): AppError =>
  new AppError('validation_error', message, { cause, fields: { fields: [{ path, message }] } })

/** The library keeps its id, even if its repository was renamed. */
function enqueue(
  ports: ParsePorts,
  caller: Caller,
  address: RepoAddress,
  library: LibraryId,
  request: JobRequest,
  message: typeof parseQueued | typeof refreshQueued,
): Queued {
  rejectUnparsable(ports, address, library, request)
  const existing = ports.catalog.find(library)
  const { id, position } = ports.atomically(() => {
    const queued = ports.jobs.enqueue({ library, kind: 'parse', request, caller: turnOf(caller) })
    const adds = message === parseQueued && (!existing || existing.imported)
    if (adds && caller.holder) ports.owners.set(library, ownerOf(caller.holder))
    const action = message === refreshQueued ? 'library.refresh' : existing ? 'library.parse' : 'library.add'
    ports.audit.record({ actor: actorOf(caller), action, subject: printLibraryId(library) })
    return queued
  })
  ports.worker.wake()
  return { message, project: printLibraryId(library), queueId: id, position }
}

type CheckPorts = {
  catalog: Pick<ProjectCatalog, 'find'>
  jobs: Pick<JobStore, 'activeOf' | 'order'>
  ai: Pick<Ai, 'llm'>
}

/** Throws the errors of a parse with a key, except job_active. */
export function checkParse(ports: CheckPorts & Pick<ParsePorts, 'gitHosts'>, sent: ParseRequest) {
  const { address, request } = readRequest(ports, sent)
  rejectUnparsable(ports, address, address.id, request)
  return { library: address.id, request: { ...request, anonymous: false } }
}

function rejectUnparsable(ports: CheckPorts, address: RepoAddress, library: LibraryId, request: ParseRequest): void {
  rejectImported(ports, library, request)
  rejectOtherHost(ports, library, address)
  if (request.generateDocs && !ports.ai.llm()) {
    throw invalid(
      'generateDocs',
      `Documentation is generated by a language model, and none is set: set llm.provider and llm.model, or parse ${shownId(library)} without generateDocs.`,
    )
  }
}

function rejectSettings({ repoUrl: _, ...settings }: ParseRequest): void {
  for (const [field, value] of Object.entries(settings)) if (value !== undefined && value !== false) throw settingNeedsKey(field)
}

const settingNeedsKey = (name: string): AppError =>
  new AppError(
    'forbidden',
    `${name} requires an API key: without one, a repository is added with its default branch and settings.`,
  )

/** Turns the parse of an existing library into a refresh, if anonymous callers may refresh. */
async function refreshInstead(ports: ParsePorts, caller: Caller, address: RepoAddress): Promise<Queued> {
  rejectOtherHost(ports, address.id, address)
  const existing = findProject(ports.catalog, address.id)
  if (ports.settings.get('permissions.anonymousRefresh') && !existing.imported) return enqueueRefresh(ports, address.id, caller)
  throw new AppError('duplicate_repo', `${existing.id} exists already. Send an API key of this install to parse it again.`)
}

/** The request with the normalized address and its parts. A branch in the request ends where the folder begins. */
function withAddress(request: ParseRequest, address: RepoAddress): NamedRequest {
  const { branch, folder } = address
  const wanted = { ...request, repoUrl: address.webUrl }
  if (branch === undefined) return wanted
  const { folders = [] } = request
  if (request.branch === undefined && folders.length === 0) return { ...wanted, ...treeOf(address) }
  const path = folder === undefined ? branch : `${branch}/${folder}`
  const split = splitAt(request.branch ?? branch, path)
  if (!split) throw namedTwice('branch', folder === undefined ? `the branch ${branch}` : path, `branch is ${request.branch}`)
  const [inside] = split.folders ?? []
  if (inside !== undefined && folders.some((each) => segmentsOf(each).join('/') !== inside)) {
    const slashes = request.branch === undefined ? ' A branch with slashes in its name belongs in branch.' : ''
    throw namedTwice('folders', `the folder ${inside}`, `folders are ${folders.join(', ')}`, slashes)
  }
  return { ...wanted, ...split }
}

const namedTwice = (field: 'branch' | 'folders', inAddress: string, sent: string, advice = ''): AppError =>
  invalid(field, `The address names ${inAddress}, but ${sent.slice(0, 120)}. Send only one of them.${advice}`)

/** The source of an imported library is unknown, so a parse could not restore its content. */
function rejectImported({ catalog }: CheckPorts, id: LibraryId, { force }: ParseRequest): void {
  const existing = catalog.find(id)
  if (!existing?.imported || force) return
  throw new AppError(
    'duplicate_repo',
    `${existing.id} was imported. Parse it with force to replace the imported content with that of its repository.`,
  )
}

function rejectOtherHost({ catalog, jobs }: CheckPorts, id: LibraryId, address: RepoAddress): void {
  const isOther = (url: string) => !url.startsWith(`${address.baseUrl}/`)
  const sameId = `${address.webUrl} would have the same id.`
  const existing = catalog.find(id)
  if (existing && !existing.imported && isOther(existing.sourceUrl)) {
    throw new AppError(
      'duplicate_repo',
      `${existing.id} exists already, from ${existing.sourceUrl}; ${sameId} Delete it to add the other.`,
    )
  }
  const active = jobs.activeOf(libraryKey(id))
  const order = active && jobs.order(active.id)
  const parsed = order?.kind === 'parse' ? order.request.repoUrl : undefined
  if (active && parsed && isOther(parsed)) {
    throw new AppError(
      'duplicate_repo',
      `${active.project} is being parsed from ${parsed}; ${sameId} Cancel job ${active.id} to add the other.`,
    )
  }
}

/**
 * Runs before other checks, so that the answers to a caller without a key reveal only libraries whose repositories are public.
 */
async function rejectPrivate({ gitAccess, limits }: ParsePorts, address: RepoAddress): Promise<void> {
  if (!(await isPublic(address, gitAccess, limits.probeMs))) throw notPublic(address)
}

const notPublic = ({ webUrl }: RepoAddress): AppError =>
  new AppError(
    'invalid_api_key',
    `${webUrl} does not exist or is not public; without a key of this install (carrel_op_…) only public repositories can be parsed.`,
  )
