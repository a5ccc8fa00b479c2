import { type LibraryId, libraryKey } from '../../../shared/library.ts'
import { longId } from '../../../shared/reading/git/known-id.ts'
import type { RepoAddress } from '../../../shared/reading/git/repo-address.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { InstallCatalog } from './sqlite-catalog.ts'

/** The address of a source; `baseUrl` is that of its git host, or again its own for a source that is no repository. */
export type SourceAddress = Pick<RepoAddress, 'webUrl' | 'baseUrl'>

export type LibraryIdPorts = {
  catalog: Pick<InstallCatalog, 'find'>
  jobs: Pick<JobStore, 'activeOf' | 'order' | 'unserved'>
}

/** The id of the library of a repository: the longer one if it has that already, or if a library of another host has the shorter. */
export function libraryIdOf(ports: LibraryIdPorts, address: RepoAddress): LibraryId {
  const long = longId(address)
  const isLong = ports.catalog.find(long) !== undefined || ports.jobs.unserved.find(libraryKey(long)) !== undefined
  return isLong || otherHost(ports, address.id, address) ? long : address.id
}

/** Says that the library with this id is, or is being added, from another host. */
export function otherHost({ catalog, jobs }: LibraryIdPorts, id: LibraryId, address: SourceAddress): string | undefined {
  const isOther = (url: string) => url !== address.webUrl && !url.startsWith(`${address.baseUrl}/`)
  const sameId = `${address.webUrl} would have the same id.`
  const existing = catalog.find(id)
  if (existing && !existing.imported && isOther(existing.sourceUrl))
    return `${existing.id} exists already, from ${existing.sourceUrl}; ${sameId} Delete it to add the other.`
  const active = jobs.activeOf(libraryKey(id))
  const order = active && jobs.order(active.id)
  const parsed = order?.kind === 'parse' ? order.request.repoUrl : undefined
  if (active && parsed && isOther(parsed))
    return `${active.project} is being added from ${parsed}; ${sameId} Cancel job ${active.id} to add the other.`
  return undefined
}
