import { AppError } from '../../shared/errors.ts'
import type { JobRequest } from '../../shared/indexing/index-job.ts'
import { askedOf } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import { isPublic } from '../../shared/reading/git/is-public.ts'
import { type Platform, parseRepoUrl, type RepoAddress } from '../../shared/reading/git/repo-address.ts'
import { type CatalogRecord, hasContent } from '../catalog/catalog-record.ts'
import type { Hosted } from '../hosted.ts'

export type NewLibrary = {
  repoUrl: string
  /** Of which host it must be a repository. */
  platform?: Platform
  /** Read with the stored token of its host, and reached by keys of its teamspace alone. */
  isPrivate: boolean
  /** The owner. */
  teamspace?: string
}

type AddLibraryPorts = Pick<Hosted, 'catalog' | 'jobs' | 'queue' | 'gitHosts' | 'gitAccess' | 'probeMs'>

/**
 * Makes a library and queues its first parse. A library that `isKnown` hides from the caller looks like a missing repository.
 * Throws validation_error, duplicate_repo, not_found, timeout.
 */
export async function addLibrary(
  ports: AddLibraryPorts,
  { repoUrl, platform, isPrivate, teamspace }: NewLibrary,
  isKnown: (record: CatalogRecord) => boolean = () => true,
): Promise<{ project: string }> {
  const address = parseRepoUrl(repoUrl, ports.gitHosts(), platform)
  const project = printLibraryId(address.id)
  // Both are asked in every case, so that the time tells nothing about hidden libraries.
  const [isOpen, held] = await Promise.all([
    isPrivate || isPublic(address, ports.gitAccess, ports.probeMs),
    ports.catalog.record(address.id),
  ])
  if (!isOpen || (held && !isKnown(held))) throw notAvailable(address)
  // One without either was left by a crash, or its first parse has failed.
  if (held && (hasContent(held) || (await ports.jobs.find(held.key))))
    throw new AppError('duplicate_repo', `${project} is here already; refresh it to have it read again.`)
  const added = await ports.catalog
    .add({ id: project, sourceUrl: address.webUrl, branch: address.branch, private: isPrivate, teamspace })
    .catch(async (error: unknown) => {
      const meanwhile = await ports.catalog.record(address.id)
      throw meanwhile && !isKnown(meanwhile) ? notAvailable(address) : error
    })
  if (!isKnown(added)) throw notAvailable(address)
  if (teamspace !== undefined && added.teamspace !== teamspace) await ports.catalog.own(address.id, teamspace)
  await enqueue(ports, project, {
    repoUrl: address.webUrl,
    branch: address.branch,
    force: false,
    anonymous: !isPrivate,
  })
  return { project }
}

/** Queues another parse with the settings of the last. Throws library_not_found, job_active. */
export async function refreshLibrary(ports: AddLibraryPorts, id: LibraryId, branch?: string): Promise<{ project: string }> {
  const record = await ports.catalog.record(id)
  if (!record) throw new AppError('library_not_found', `${printLibraryId(id)} is not here; add it first.`)
  const { id: project, sourceUrl, private: isPrivate } = record.library
  const request = { ...askedOf(record.settings), repoUrl: sourceUrl, force: false, anonymous: !isPrivate }
  await enqueue(ports, project, branch === undefined ? request : { ...request, branch })
  return { project }
}

async function enqueue({ jobs, queue }: AddLibraryPorts, project: string, request: JobRequest): Promise<void> {
  const key = libraryKey(parseLibraryId(project))
  await jobs.enqueue({ key, project, request })
  await queue.send(key)
}

/** The same whether the repository is missing, private, or has the id of a library that the caller may not see. */
const notAvailable = ({ webUrl }: RepoAddress): AppError =>
  new AppError(
    'not_found',
    `${webUrl} cannot be added: it does not exist, is not public, or its id is not available. Private repositories are added by their teamspace.`,
  )
