import { type LibraryId, libraryKey, versionNamed } from '../../shared/library.ts'
import type { AnsweredRequest, RequestUsage } from '../../shared/usage/record-usage.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import { publicLibrary } from './public-libraries.ts'

type CountViewPorts = { names: NamedLibraries; record(request: AnsweredRequest): Promise<void> }

/** Counts a view of the page of a public library. A version that it does not have counts for the library. Throws library_not_found. */
export async function countView(ports: CountViewPorts, id: LibraryId, usage: RequestUsage | undefined): Promise<void> {
  const { versions } = await publicLibrary(ports, id)
  const version = id.version && versionNamed(id.version, new Set(versions))
  if (usage) await ports.record({ ...usage, surface: 'page', library: libraryKey(id), version: version || undefined, topics: [] })
}
