import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import { followedFile, type Gitops } from '../declared/gitops.ts'
import { checkSignature, type SignedRequest } from './check-signature.ts'
import type { Delivery, Hook } from './hook.ts'
import type { HookStore } from './hook-store.ts'
import { type QueueRefreshPorts, queueHookRefresh } from './queue-refresh.ts'
import { type HookEvent, readEvent } from './read-event.ts'

export type AcceptPorts = QueueRefreshPorts & {
  hooks: Pick<HookStore, 'find' | 'list' | 'secretOf' | 'record' | 'remember' | 'forget'>
  gitops: Pick<Gitops, 'runSoon'>
  log: Log
  now(): Date
}

/** The effects of a delivery: one entry per library, or one without. */
export type Accepted = Pick<Delivery, 'library' | 'outcome' | 'detail' | 'job'>[]

/** Accepts a delivery at the address of a webhook, which is read if there is one. Throws not_found, invalid_api_key, validation_error. */
export async function acceptDelivery(ports: AcceptPorts, id: string, read: () => Promise<SignedRequest>): Promise<Accepted> {
  const hook = ports.hooks.find(id)
  if (!hook)
    throw new AppError('not_found', 'There is no webhook with this address. Admins see the addresses in Settings > Webhooks.')
  return accept(ports, hook, await read())
}

/** Accepts a delivery of the GitHub webhook of the install: the one of a whole host whose secret signed it. Throws as `acceptDelivery`. */
export async function acceptGithubDelivery(ports: AcceptPorts, read: () => Promise<SignedRequest>): Promise<Accepted> {
  const hooks = ports.hooks.list().filter(({ kind, library }) => kind === 'github' && library === null)
  const [first] = hooks
  if (!first)
    throw new AppError('not_found', 'This install has no GitHub webhook. An admin adds one for its host in Settings > Webhooks.')
  const request = await read()
  return accept(ports, hooks.find((hook) => isProven(ports, hook, request)) ?? first, request)
}

function isProven({ hooks, now }: AcceptPorts, { id, kind }: Hook, request: SignedRequest): boolean {
  try {
    checkSignature(kind, hooks.secretOf(id), request, now())
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_api_key') return false
    throw error
  }
}

async function accept(ports: AcceptPorts, hook: Hook, request: SignedRequest): Promise<Accepted> {
  const { hooks, now, log } = ports
  const record = (event: string, each: Accepted[number]) => {
    hooks.record(hook.id, { event, ...each })
    return [each]
  }
  const none = { library: null, job: null }
  let identities: string[]
  try {
    identities = checkSignature(hook.kind, hooks.secretOf(hook.id), request, now()).identities
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_api_key')
      record('', { ...none, outcome: 'rejected', detail: error.message })
    throw error
  }
  const event = readOrRecord(hook, request, (detail) => record('', { ...none, outcome: 'rejected', detail }))
  const ignored = (detail: string, library: string | null = null) =>
    record(event.name, { library, job: null, outcome: 'ignored', detail })
  if (/(^|:)ping$/.test(event.name)) return ignored('The webhook works. This was a test.')
  if (event.refs !== 'all' && event.refs.every(({ isDeleted }) => isDeleted))
    return ignored('The event changes nothing that is read.')
  const libraries = librariesOf(ports, hook, event)
  const isManifest = isOfManifest(ports, hook, event)
  if (libraries.length === 0 && !isManifest)
    return ignored('The repository is none of the libraries that this webhook refreshes.')
  const followed = libraries.filter((library) => follows(ports, library, event))
  if (followed.length === 0 && !isManifest) return ignored('The library is read from another branch.', libraries[0] ?? null)
  if (!hooks.remember(hook.id, identities))
    return record(event.name, {
      library: followed[0] ?? null,
      job: null,
      outcome: 'repeated',
      detail: 'This delivery was accepted before.',
    })
  const accepted: Accepted = []
  if (isManifest) {
    ports.gitops.runSoon()
    accepted.push(...record(event.name, { ...none, outcome: 'queued', detail: 'The followed repository is read.' }))
  }
  for (const library of followed) {
    try {
      accepted.push(...record(event.name, { library, ...(await queueHookRefresh(ports, hook, library)) }))
    } catch (error) {
      hooks.forget(hook.id, identities)
      if (!(error instanceof AppError)) throw error
      log.warn({ library, error }, 'a webhook cannot refresh a library')
      accepted.push(...record(event.name, { library, job: null, outcome: 'failed', detail: error.message }))
    }
  }
  return accepted
}

function readOrRecord(hook: Hook, request: SignedRequest, record: (detail: string) => void): HookEvent {
  try {
    return readEvent(hook.kind, request)
  } catch (error) {
    if (error instanceof AppError) record(error.message)
    throw error
  }
}

type CatalogPorts = Pick<AcceptPorts, 'catalog'>

/** The ids of the libraries of an event that the webhook may refresh. */
function librariesOf({ catalog }: CatalogPorts, { kind, library, host }: Hook, { paths, library: named }: HookEvent): string[] {
  const own = library === null ? undefined : catalog.find(parseLibraryId(library))
  if (library !== null && (!own || own.imported)) return []
  if (kind === 'generic') {
    const wanted = named === undefined ? own : catalog.find(parseLibraryId(named))
    const isCovered =
      wanted && !wanted.imported && (own ? wanted.id === own.id : host === null || isBelow(host, wanted.sourceUrl))
    return isCovered ? [wanted.id] : []
  }
  if (own) return paths.some((path) => hasPath(own.sourceUrl, path)) ? [own.id] : []
  const addresses = new Set(paths.map((path) => `${host}/${path}`.toLowerCase()))
  return catalog
    .libraries()
    .filter(({ imported, sourceUrl }) => !imported && addresses.has(comparable(sourceUrl)))
    .map(({ id }) => id)
}

/** True for a push to the branch of the repository that the install follows. */
function isOfManifest(
  { settings, gitHosts }: Pick<AcceptPorts, 'settings' | 'gitHosts'>,
  { library, host }: Hook,
  { paths, refs, defaultBranch }: HookEvent,
): boolean {
  const file = followedFile(settings)
  if (!file || library !== null || refs === 'all') return false
  const branch = file.branch ?? defaultBranch
  const url = webUrlOf(file.repository, gitHosts())
  return (
    paths.some((path) => `${host}/${path}`.toLowerCase() === url) &&
    refs.some(({ kind, name, isDeleted }) => kind === 'branch' && !isDeleted && (branch === undefined || branch === name))
  )
}

/** Undefined for a repository of a host that is no longer in the settings. */
function webUrlOf(repository: string, hosts: GitHosts): string | undefined {
  try {
    return comparable(parseRepoUrl(repository, hosts).webUrl)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const isBelow = (host: string, address: string): boolean => address.toLowerCase().startsWith(`${host.toLowerCase()}/`)

const hasPath = (address: string, path: string): boolean => path !== '' && comparable(address).endsWith(`/${path.toLowerCase()}`)

/** An address by ssh ends with `.git`, which no event has. */
const comparable = (address: string): string => address.toLowerCase().replace(/\.git$/, '')

/** True for a tag, and for a branch that the library or one of its versions is read from. */
function follows({ catalog }: CatalogPorts, library: string, { refs, defaultBranch }: HookEvent): boolean {
  if (refs === 'all') return true
  const id = parseLibraryId(library)
  const { branch: set } = catalog.settings(id)
  const branches = new Set([set ?? defaultBranch, catalog.find(id)?.branch, ...catalog.versions(id).map(({ ref }) => ref)])
  const isFollowed = (name: string) => branches.has(name) || branches.has(`refs/heads/${name}`)
  return refs.some(({ kind, name, isDeleted }) => !isDeleted && (kind === 'tag' || isFollowed(name)))
}
