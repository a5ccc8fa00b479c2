import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey, printLibraryId } from '../../shared/library.ts'
import type { OptOut, OptOuts } from '../takedown/opt-outs.ts'
import { type RemoveLibraryPorts, removeLibrary } from './remove-library.ts'

export type OptOutLibraryPorts = RemoveLibraryPorts & { optOuts: Pick<OptOuts, 'add' | 'find' | 'lift'> }

/**
 * Removes a public library with its counters, and keeps it from being added again. One that has a job is removed when that ends. Throws
 * forbidden for a private library, which its teamspace deletes.
 */
export async function optOutLibrary(
  ports: OptOutLibraryPorts,
  { owner, repo }: LibraryId,
  optOut: Omit<OptOut, 'at' | 'library'>,
): Promise<{ removed: boolean }> {
  const id = { owner, repo }
  const record = await ports.catalog.record(id)
  if (record?.library.private)
    throw new AppError('forbidden', `${record.id} is private, so nobody else can add it. Remove it instead.`)
  // The record is gone if the library was opted out before.
  const sourceUrl = record?.sourceUrl ?? (await ports.optOuts.find(libraryKey(id)))?.sourceUrl
  const library = record?.id ?? printLibraryId(id)
  await ports.optOuts.add(libraryKey(id), { ...optOut, library, ...(sourceUrl !== undefined && { sourceUrl }) })
  if (record === undefined) return { removed: false }
  return removeLibrary(ports, id).then(() => ({ removed: true }), ifSettled)
}

/** The worker of a running job removes the library. */
function ifSettled(error: unknown): { removed: boolean } {
  const isSettled = error instanceof AppError && (error.code === 'job_active' || error.code === 'library_not_found')
  if (isSettled) return { removed: false }
  throw error
}
