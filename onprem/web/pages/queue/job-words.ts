import { filesReadAndKept, isUnchanged } from '../../../../shared/text/figures.ts'
import { countOf, formatCount } from '../../../../shared/web/format.ts'
import type { Job } from '../../api/job-queries.ts'

const kinds: Record<Job['kind'], string> = { parse: 'Parse', import: 'Import', reindex: 'Re-index' }

/** "412 of 1,204 files": an import and a re-index count snippets. */
function progress({ kind, filesDone, filesTotal, snippets }: Job): string {
  if (filesTotal === 0) return ''
  const noun = kind === 'parse' ? 'files' : 'snippets'
  const read = `${formatCount(filesDone)} of ${formatCount(filesTotal)} ${noun}`
  return kind === 'parse' ? `${read} · ${countOf(snippets, 'snippet')}` : read
}

/** The result of a job, for its row. */
function result({ kind, state, report, snippets }: Job): string {
  if (state === 'cancelled') return 'Stopped before its content was published'
  if (!report) return countOf(snippets, 'snippet')
  if (kind !== 'parse') return countOf(report.snippetsAfter, 'snippet')
  const skipped = report.skipped.length === 0 ? '' : ` · ${formatCount(report.skipped.length)} skipped`
  const snippetsAfter = countOf(report.snippetsAfter, 'snippet')
  if (isUnchanged(report)) return `Unchanged, ${snippetsAfter}${skipped}`
  const files = report.filesKept ? ` · ${filesReadAndKept(report)}` : ` from ${countOf(report.filesRead, 'file')}`
  return `${snippetsAfter}${files}${skipped}`
}

/** The sentence of an error, which begins with a code and a colon. */
const error = ({ error: text }: Job): string => text?.replace(/^[a-z_]+: /, '') ?? 'The job failed.'

/** The texts about a job. */
export const jobWords = { kinds, progress, result, error }
