import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import { unknownVersion } from '../catalog/catalog-record.ts'
import type { Hosted } from '../hosted.ts'

type RemoveLibraryPorts = Pick<Hosted, 'catalog' | 'jobs' | 'teamspaces' | 'counters' | 'publishNames'>

/** Removes a library, or the version that the id pins, with its counters; its content follows. Throws library_not_found, tag_not_found, job_active. */
export async function removeLibrary(
  { catalog, jobs, teamspaces, counters, publishNames }: RemoveLibraryPorts,
  id: LibraryId,
): Promise<void> {
  const record = await catalog.record(id)
  if (!record) throw new AppError('library_not_found', `${printLibraryId(id)} is not here.`)
  const { key, library, teamspace } = record
  if (id.version !== undefined && !record.versions.has(id.version)) throw unknownVersion(record, id.version)
  const job = await jobs.find(key)
  if (job) {
    throw new AppError('job_active', `${library.id} has a job that is ${job.state}; remove it when that is done.`, {
      fields: { project: library.id, status: job.state },
    })
  }
  await catalog.remove(id)
  const versions = id.version === undefined ? [...record.versions.keys()] : [id.version]
  if (id.version === undefined) await counters.forget(key)
  for (const version of versions) if (version !== '') await counters.forget(`${key}@${version}`)
  if (teamspace !== undefined && id.version === undefined) await teamspaces.disown(teamspace, libraryKey(id))
  await publishNames()
}
