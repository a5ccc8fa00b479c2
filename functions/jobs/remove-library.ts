import { AppError } from '../../shared/errors.ts'
import { keyOfVersion, type LibraryId, printLibraryId, rejectLatest, withNamedVersion } from '../../shared/library.ts'
import type { Teamspaces } from '../access/teamspaces.ts'
import { unknownVersion } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedCounters } from '../counting/hosted-counters.ts'
import type { HostedJobs } from './hosted-jobs.ts'

export type RemoveLibraryPorts = {
  catalog: Pick<HostedCatalog, 'record' | 'remove'>
  jobs: Pick<HostedJobs, 'find'>
  teamspaces: Pick<Teamspaces, 'disown'>
  counters: Pick<HostedCounters, 'forget'>
  publishNames(): Promise<void>
}

/**
 * Removes a library, or the version that the id pins, with its counters. The sweep deletes its content later. Throws
 * library_not_found, tag_not_found, job_active.
 */
export async function removeLibrary(
  { catalog, jobs, teamspaces, counters, publishNames }: RemoveLibraryPorts,
  requested: LibraryId,
): Promise<void> {
  const record = await catalog.record(requested)
  if (!record) throw new AppError('library_not_found', `${printLibraryId(requested)} does not exist here.`)
  rejectLatest(requested, record.versions)
  const id = withNamedVersion(requested, record.versions)
  const { key, library, teamspace } = record
  if (id.version !== undefined && !record.versions.has(id.version)) throw unknownVersion(record, id.version)
  const job = await jobs.find(key)
  if (job) {
    throw new AppError('job_active', `${library.id} has a job that is ${job.state}. Remove the library when the job has ended.`, {
      fields: { project: library.id, status: job.state },
    })
  }
  await catalog.remove(id)
  const versions = id.version === undefined ? [...record.versions.keys()] : [id.version]
  if (id.version === undefined) await counters.forget(key)
  for (const version of versions) if (version !== '') await counters.forget(keyOfVersion(key, version))
  if (teamspace !== undefined && id.version === undefined) await teamspaces.disown(teamspace, key)
  await publishNames()
}
