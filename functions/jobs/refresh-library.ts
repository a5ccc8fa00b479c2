import { AppError, invalidField } from '../../shared/errors.ts'
import { callerSettings } from '../../shared/indexing/source-settings.ts'
import { withBranch } from '../../shared/indexing/split-tree.ts'
import { type LibraryId, printLibraryId } from '../../shared/library.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import { type EnqueuePorts, enqueueJob } from './hosted-jobs.ts'

export type RefreshLibraryPorts = EnqueuePorts & { catalog: Pick<HostedCatalog, 'record'> }

/** Queues another parse with the settings of the last one. Throws library_not_found, job_active, and validation_error for an upload. */
export async function refreshLibrary(
  ports: RefreshLibraryPorts,
  id: LibraryId,
  branch?: string,
  requestId?: string,
): Promise<{ project: string }> {
  const record = await ports.catalog.record(id)
  if (!record) throw new AppError('library_not_found', `${printLibraryId(id)} does not exist here. Add it first.`)
  const { id: libraryId, sourceUrl, private: isPrivate } = record.library
  const stored = callerSettings(record.settings)
  if (stored.source?.kind === 'openapi-upload')
    throw new AppError('validation_error', `${libraryId} was uploaded. Upload its file again to update it.`)
  if (stored.source && branch !== undefined) throw invalidField('branch', `cannot be set: ${libraryId} is no repository`)
  const settings = branch === undefined ? stored : withBranch(stored, branch)
  const request = { ...settings, repoUrl: sourceUrl, force: false, anonymous: !isPrivate }
  await enqueueJob(ports, { key: record.key, project: libraryId, request, requestId })
  return { project: libraryId }
}
