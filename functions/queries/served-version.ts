import { AppError } from '../../shared/errors.ts'
import { type LibraryId, versionNamed } from '../../shared/library.ts'
import type { ServedVersion } from '../../shared/search/libraries/catalog.ts'
import { asSentence } from '../../shared/text/as-sentence.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { type CatalogRecord, hasContent, unknownVersion } from '../catalog/catalog-record.ts'
import type { HostedJob } from '../jobs/hosted-jobs.ts'

/**
 * The content that is served for an id. Throws tag_not_found, with a list of the tags. Throws library_not_found if the library has
 * no content yet; the message reports the progress of `job`, its unfinished job.
 */
export function servedVersion(
  record: CatalogRecord,
  id: LibraryId,
  job?: JobState,
): Omit<ServedVersion, 'rules'> & { rulesId?: string } {
  if (!hasContent(record)) throw new AppError('library_not_found', unservedText(record, job))
  const version = id.version && versionNamed(id.version, record.versions)
  const served = record.versions.get(version ?? id.version ?? '')
  if (!served) throw unknownVersion(record, id.version)
  const { generation, ref, commitDate, rulesId } = served
  return {
    library: record.library,
    version,
    generation,
    ref,
    ...(commitDate !== undefined && { commitDate }),
    ...(rulesId !== undefined && { rulesId }),
    ...(record.settings.flagged && { flagged: record.settings.flagged }),
  }
}

type JobState = Pick<HostedJob, 'state' | 'progress'>

const maxReasonChars = 500

/** Sentences about a library without content: its progress, or why its first parse failed. Only for callers that may know of it. */
export function unservedText({ id, state, lastError }: CatalogRecord, job: JobState | undefined): string {
  if (job !== undefined || state !== 'error') return `${id} is being added: ${stageOf(job)}. Try again when it is finished.`
  const reason = visibleText(lastError ?? 'The job failed unexpectedly.').slice(0, maxReasonChars)
  return `${id} has no content: it could not be added. ${asSentence(reason)} Refresh it to try again.`
}

function stageOf(job: JobState | undefined): string {
  if (job?.state !== 'running') return 'it is waiting in the queue'
  const { filesDone, filesTotal, stage } = job.progress
  if (filesTotal > 0) return `${filesDone} of ${filesTotal} files are done`
  return `it is being fetched${stage === '' ? '' : ` (${stage})`}`
}
