import { countOf, formatCount } from '../../../../shared/web/format.ts'
import type { TeamJob } from '../../api/library-queries.ts'

/** "Reading · 12 of 40 files · 310 snippets", or why a job waits. */
export function progressWords({ state, attempts, progress }: Pick<TeamJob, 'state' | 'attempts' | 'progress'>): string {
  if (state === 'queued') return attempts > 0 ? 'Waits to try again' : 'Waits for a worker'
  const { stage, filesDone, filesTotal, snippets } = progress
  const files = filesTotal > 0 && `${formatCount(filesDone)} of ${countOf(filesTotal, 'file')}`
  return [stage || 'Starting', files, snippets > 0 && countOf(snippets, 'snippet')].filter(Boolean).join(' · ')
}
