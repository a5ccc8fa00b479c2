import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import { librariesNamed } from '../../shared/search/libraries/libraries-named.ts'
import { noMatchYet, type View } from '../../shared/search/libraries/search-libraries.ts'
import type { Caller } from '../access/caller.ts'
import { mayKnow } from '../access/visibility.ts'
import { hasContent, unservedText } from '../catalog/catalog-record.ts'
import type { NamedLibrary } from '../catalog/snapshot-lines.ts'
import type { Hosted } from '../hosted.ts'

type NameUnservedPorts = Pick<Hosted, 'catalog' | 'jobs' | 'names' | 'log'>
type Viewer = { caller: Caller } & Pick<View, 'allows'>

/** So many libraries without content are named in one message. */
const maxUnserved = 3

/** The error of a search; if nothing matched but libraries without content, it gives their progress or why their first parse failed. */
export async function nameUnserved(
  ports: NameUnservedPorts,
  viewer: Viewer,
  libraryName: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'no_libraries_found') return error
  const { unserved } = await ports.names.listed()
  // A hidden library is left out before anything is compared or read, so that the time of the answer is the same without it.
  const known = unserved.filter((library) => mayKnow(viewer.caller, library))
  const named = librariesNamed(known, libraryName).filter((library) => maySee(viewer, library))
  const found = await Promise.all(named.slice(0, maxUnserved).map(({ id }) => textOrLog(ports, viewer, id)))
  const texts = found.filter((text) => text !== undefined)
  return texts.length === 0 ? error : noMatchYet(libraryName, texts, error)
}

/** A search reads memory alone, so it answers without the sentence if the record cannot be read. */
const textOrLog = (ports: NameUnservedPorts, viewer: Viewer, id: string): Promise<string | undefined> =>
  textOf(ports, viewer, id).catch((error: unknown) => {
    ports.log.warn({ error, library: id }, 'a search could not read the state of a library without content')
    return undefined
  })

/** Undefined if the library was parsed, removed or made private after the snapshot was written. */
async function textOf({ catalog, jobs }: NameUnservedPorts, viewer: Viewer, id: string): Promise<string | undefined> {
  const record = await catalog.record(parseLibraryId(id))
  if (!record || hasContent(record) || !maySee(viewer, record.library)) return undefined
  return unservedText(record, await jobs.find(record.key))
}

const maySee = ({ caller, allows = () => true }: Viewer, library: NamedLibrary): boolean =>
  mayKnow(caller, library) && allows(library)
