import { AppError } from '../../shared/errors.ts'
import { type LibraryId, shownId } from '../../shared/library.ts'
import type { CatalogRecord } from '../catalog/catalog-record.ts'
import type { HostedCatalog } from '../catalog/hosted-catalog.ts'
import type { Caller } from './caller.ts'
import { mayKnow } from './visibility.ts'

/** The record of a library that a caller may know of. Throws library_not_found, in the same words for a hidden and a missing library. */
export async function knownLibrary(
  catalog: Pick<HostedCatalog, 'record'>,
  caller: Caller,
  { owner, repo }: LibraryId,
): Promise<CatalogRecord> {
  const record = await catalog.record({ owner, repo })
  if (record && mayKnow(caller, record.library)) return record
  throw new AppError(
    'library_not_found',
    `There is no ${shownId({ owner, repo })} here, or none that you may see. Search for its name, or send the key of its teamspace.`,
  )
}
