import { keyOfVersion, type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { HostedCounters } from '../counting/hosted-counters.ts'
import type { Journal } from './journal.ts'

export type EraseUsagePorts = {
  catalog: Pick<HostedCatalog, 'record'>
  counters: Pick<HostedCounters, 'forget'>
  journal: Pick<Journal, 'note'>
}

/**
 * Deletes the counters of a library and of all its versions, or of the version that the id pins. It may be repeated after an
 * interruption. Events that are still on the stream are counted afterwards.
 */
export async function eraseUsage({ catalog, counters, journal }: EraseUsagePorts, id: LibraryId): Promise<void> {
  await journal.note({ kind: 'usage-erased', id: printLibraryId(id) })
  const key = libraryKey(id)
  if (id.version !== undefined) return counters.forget(keyOfVersion(key, id.version))
  const record = await catalog.record(id)
  for (const version of record?.versions.keys() ?? []) if (version !== '') await counters.forget(keyOfVersion(key, version))
  await counters.forget(key)
}
