import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { Log } from '../../shared/log.ts'
import { librariesByName } from '../../shared/search/libraries/libraries-by-name.ts'
import { noMatchYet, type SearchScope } from '../../shared/search/libraries/search-libraries.ts'
import type { Caller } from '../access/caller.ts'
import { mayKnow } from '../access/visibility.ts'
import { hasContent } from '../catalog/catalog-record.ts'
import type { NamedLibraries } from '../catalog/catalog-snapshot.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { NamedLibrary } from '../catalog/pack-libraries.ts'
import type { HostedJobs } from '../jobs/hosted-jobs.ts'
import { unservedText } from './served-version.ts'

export type NameUnservedPorts = {
  catalog: Pick<HostedCatalog, 'record'>
  jobs: Pick<HostedJobs, 'find'>
  names: NamedLibraries
  log: Log
}
type Viewer = { caller: Caller } & Pick<SearchScope, 'allows'>

/** Libraries without content in one message. */
const maxUnserved = 3

/** The error of a search. If only libraries without content match, the error gives their progress or why their first parse failed. */
export async function nameUnserved(
  ports: NameUnservedPorts,
  viewer: Viewer,
  libraryName: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'no_libraries_found') return error
  const { unserved } = await ports.names.listed()
  // Hidden libraries are removed before anything is compared or read, so that they do not change the time of the answer.
  const knownLibraries = unserved.filter((library) => mayKnow(viewer.caller, library))
  const named = librariesByName(knownLibraries, libraryName).filter((library) => maySee(viewer, library))
  const textsOrNone = await Promise.all(named.slice(0, maxUnserved).map(({ id }) => textOrLog(ports, viewer, id)))
  const texts = textsOrNone.filter((text) => text !== undefined)
  return texts.length === 0 ? error : noMatchYet(libraryName, texts, error)
}

/** A search reads only memory. If the record cannot be read, the search still returns, without this text. */
const textOrLog = (ports: NameUnservedPorts, viewer: Viewer, id: string): Promise<string | undefined> =>
  textOf(ports, viewer, id).catch((error: unknown) => {
    ports.log.warn({ error, library: id }, 'the state of a library without content cannot be read for a search')
    return undefined
  })

/**
 * The text about a library without content. Undefined if it was parsed, removed or made private after the snapshot was written.
 */
async function textOf({ catalog, jobs }: NameUnservedPorts, viewer: Viewer, id: string): Promise<string | undefined> {
  const record = await catalog.record(parseLibraryId(id))
  if (!record || hasContent(record) || !maySee(viewer, record.library)) return undefined
  return unservedText(record, await jobs.find(record.key))
}

const maySee = ({ caller, allows = () => true }: Viewer, library: NamedLibrary): boolean =>
  mayKnow(caller, library) && allows(library)
