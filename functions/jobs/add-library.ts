import { AppError } from '../../shared/errors.ts'
import { treeOf } from '../../shared/indexing/split-tree.ts'
import type { LibraryId } from '../../shared/library.ts'
import { findRepository } from '../../shared/packages/find-repository.ts'
import type { GitAccess } from '../../shared/reading/git/git-access.ts'
import type { GitHosts } from '../../shared/reading/git/git-hosts.ts'
import { isPublic } from '../../shared/reading/git/is-public.ts'
import { longId } from '../../shared/reading/git/known-id.ts'
import { probeGit } from '../../shared/reading/git/probe-git.ts'
import { hostOf, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import type { GitSource } from '../../shared/schemas/git-host.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import { isReservedOwner } from '../catalog/reserved-owners.ts'
import { optOutError, type RejectOptedOutPorts } from '../takedown/reject-opted-out.ts'
import { type RegisterLibraryPorts, registerLibrary, rejectServed } from './register-library.ts'

export type NewLibrary = {
  repoUrl: string
  /** The host that the repository must belong to. */
  source?: GitSource
  /** A private library is read with the stored token of its host, and served only to keys of its teamspace. */
  isPrivate: boolean
  /** The id of the owner. */
  teamspace?: string
  requestId?: string | undefined
  /** The owner's tokens by host. The library is read only with them; without them, with those of the service. */
  tokens?: ReadonlyMap<string, string | undefined>
}

export type AddLibraryPorts = RegisterLibraryPorts &
  RejectOptedOutPorts & {
    gitHosts(): GitHosts
    gitAccess: Omit<GitAccess, 'token'>
    /** Time limit of one request to the git host. */
    probeMs: number
  }

/**
 * Adds a library and queues its first parse. A library that `isKnown` hides from the caller looks like a missing repository.
 * Throws validation_error, duplicate_repo, not_found, not_configured, timeout, forbidden if its
 * owner or the operator does not allow to index it.
 */
export async function addLibrary(
  ports: AddLibraryPorts,
  { repoUrl, source: from, isPrivate, teamspace, tokens, requestId }: NewLibrary,
  isKnown: (record: CatalogRecord) => boolean = () => true,
): Promise<{ id: LibraryId; project: string }> {
  const { address, folders } = findRepository(repoUrl, ports.gitHosts(), from)
  const source = { ...treeOf(address), ...(folders.length > 0 && { folders: [...folders] }) }
  const long = longId(address)
  // All lookups run in every case, so that the response time does not reveal hidden libraries.
  const [isOpen, ofShort, ofLong, optedOut] = await Promise.all([
    tokens
      ? isReadable(ports, address, tokens.get(address.host.name))
      : isPrivate || isPublic(address, ports.gitAccess, ports.probeMs),
    ports.catalog.record(address.id),
    ports.catalog.record(long),
    isPrivate ? undefined : optOutError(ports, address),
  ])
  const isTaken = ofShort !== undefined && hostOf(ofShort.sourceUrl, ports.gitHosts())?.name !== address.host.name
  const id = ofLong || isTaken ? long : address.id
  const existing = ofLong ?? (isTaken ? undefined : ofShort)
  if (isReservedOwner(id.owner)) throw reserved(id.owner)
  // The longer id would tell that a hidden library has the shorter one.
  const known = existing ?? ofShort
  if (!isOpen || (known && !isKnown(known))) throw notAvailable(address)
  await rejectServed(ports, existing, 'Refresh it instead.')
  if (optedOut) throw optedOut
  const project = await registerLibrary(ports, {
    library: {
      id,
      sourceUrl: address.webUrl,
      settings: source,
      private: isPrivate,
      teamspace,
      ownToken: tokens !== undefined,
    },
    request: { ...source, force: false },
    isKnown,
    hiddenError: notAvailable(address),
    requestId,
  })
  return { id, project }
}

/**
 * True if the host shows a private repository with this token. Throws not_configured without a token, and validation_error for a public
 * repository: as a private library it would hide from everybody else under its id.
 */
async function isReadable(
  { gitAccess, probeMs }: AddLibraryPorts,
  address: RepoAddress,
  token: string | undefined,
): Promise<boolean> {
  const { host, webUrl } = address
  if (token === undefined)
    throw new AppError('not_configured', `The teamspace has no token for ${host.name}. Save one that may read ${webUrl}.`)
  const probed = await probeGit(address, { ...gitAccess, token, timeMs: probeMs, signal: new AbortController().signal })
  if ('remote' in probed && probed.remote.isPublic)
    throw new AppError('validation_error', `${webUrl} is public. Add it as a public library.`)
  return 'remote' in probed
}

const reserved = (owner: string): AppError =>
  new AppError('validation_error', `Repositories of ${owner} cannot be added: the service has pages at /${owner}.`)

/** The same whether the repository is missing, private, or has the id of a library that is hidden from the caller. */
const notAvailable = ({ webUrl }: RepoAddress): AppError =>
  new AppError(
    'not_found',
    `${webUrl} cannot be added: it does not exist, is not public, or its id is not available. The teamspace that owns a private repository adds it.`,
  )
