import { AppError } from '../../shared/errors.ts'
import { type LibraryId, versionNamed } from '../../shared/library.ts'
import type { ServedVersion } from '../../shared/search/libraries/catalog.ts'
import { type CatalogRecord, hasContent, unknownVersion } from '../catalog/catalog-record.ts'
import { type JobState, unservedText } from './unserved-text.ts'

/**
 * The content that is served for an id. Throws tag_not_found, with a list of the tags. Throws library_not_found if the library has
 * no content yet; the message reports the progress of `job`, its unfinished job.
 */
export function servedVersion(record: CatalogRecord, id: LibraryId, job?: JobState): ServedVersion {
  if (!hasContent(record)) throw new AppError('library_not_found', unservedText(record, job))
  const version = id.version && versionNamed(id.version, record.versions)
  const found = record.versions.get(version ?? id.version ?? '')
  if (!found) throw unknownVersion(record, id.version)
  return { library: record.library, version, generation: found.generation, rules: found.rules }
}
