import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import type { NamedLibrary } from '../catalog/pack-libraries.ts'

type NamesPort = { names: NamedLibraries }

/** The libraries that everybody may see, with content; those with the newest content first. */
export const publicLibraries = async ({ names }: NamesPort): Promise<NamedLibrary[]> => tableOf(await names.listed()).listed

/** A public library from the list. Throws library_not_found, in the same words for a private and a missing one. */
export async function publicLibrary({ names }: NamesPort, id: LibraryId): Promise<NamedLibrary> {
  const library = tableOf(await names.listed()).byKey.get(libraryKey(id))
  if (library) return library
  throw new AppError('library_not_found', `There is no public library ${shownId({ owner: id.owner, repo: id.repo })} here.`)
}

type Table = { listed: NamedLibrary[]; byKey: Map<string, NamedLibrary> }
type Lists = Awaited<ReturnType<NamedLibraries['listed']>>

const tables = new WeakMap<NamedLibrary[], Table>()

function tableOf({ libraries }: Lists): Table {
  const existing = tables.get(libraries)
  if (existing) return existing
  const listed = libraries
    .filter(({ privateTo }) => privateTo === undefined)
    .sort((a, b) => (a.lastUpdateDate < b.lastUpdateDate ? 1 : -1))
  const table = { listed, byKey: new Map(listed.map((library) => [libraryKey(parseLibraryId(library.id)), library])) }
  tables.set(libraries, table)
  return table
}

/** The path of the page of a library, or of one of its versions. */
export const pathOf = (id: string, version?: string): string =>
  encodeURI(version === undefined ? id : `${id}@${version}`).replace(/[?#]/g, encodeURIComponent)
