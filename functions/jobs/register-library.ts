import { AppError } from '../../shared/errors.ts'
import type { JobRequest } from '../../shared/indexing/index-job.ts'
import { libraryKey, printLibraryId } from '../../shared/library.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import type { AddedLibrary } from '../catalog/catalog-changes.ts'
import { type CatalogRecord, hasContent } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type EnqueuePorts, enqueueJob, type HostedJobs } from './hosted-jobs.ts'

export type RegisterLibraryPorts = EnqueuePorts & {
  catalog: Pick<HostedCatalog, 'add' | 'own' | 'record'>
  jobs: Pick<HostedJobs, 'find'>
  teamspaces: Pick<Teamspaces, 'own'>
}

/** Throws duplicate_repo for a library with content or a job. One without either was left by a crash, or its first parse failed. */
export async function rejectServed(
  { jobs }: { jobs: Pick<HostedJobs, 'find'> },
  existing: CatalogRecord | undefined,
  advice: string,
): Promise<void> {
  if (!existing || !(hasContent(existing) || (await jobs.find(existing.key)))) return
  throw new AppError('duplicate_repo', `${existing.id} already exists. ${advice}`, { fields: { project: existing.id } })
}

type Registering = {
  library: AddedLibrary
  request: Omit<JobRequest, 'repoUrl' | 'anonymous'>
  /** False for a library that is hidden from the caller, who gets `hiddenError`. */
  isKnown(record: CatalogRecord): boolean
  hiddenError: AppError
  requestId: string | undefined
}

/** Stores a library and queues its first parse. Throws duplicate_repo, job_active. */
export async function registerLibrary(
  ports: RegisterLibraryPorts,
  { library, request, isKnown, hiddenError, requestId }: Registering,
): Promise<string> {
  const { id, sourceUrl, teamspace, private: isPrivate } = library
  const project = printLibraryId(id)
  if (teamspace !== undefined) await ports.teamspaces.own(teamspace, libraryKey(id), 'added')
  const added = await ports.catalog.add(library).catch(async (error: unknown) => {
    const meanwhile = await ports.catalog.record(id)
    throw meanwhile && !isKnown(meanwhile) ? hiddenError : error
  })
  if (!isKnown(added)) throw hiddenError
  if (teamspace !== undefined && added.teamspace !== teamspace) await ports.catalog.own(id, teamspace)
  const whole = { ...request, repoUrl: sourceUrl, anonymous: !isPrivate }
  await enqueueJob(ports, { key: added.key, project, request: whole, requestId })
  return project
}
