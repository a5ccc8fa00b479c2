import type { ListedLibrary } from '../../shared/search/libraries/catalog.ts'
import type { Caller } from '../access/caller.ts'
import { mayKnow, type ViewPorts, viewOf } from '../access/visibility.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'

/** The libraries that a caller may ask. */
export async function readableLibraries(
  ports: ViewPorts & { names: Pick<NamedLibraries, 'listed'> },
  caller: Caller,
): Promise<ListedLibrary[]> {
  const [{ allows = () => true }, { libraries }] = await Promise.all([viewOf(ports, caller), ports.names.listed()])
  return libraries.filter((library) => mayKnow(caller, library) && allows(library))
}
