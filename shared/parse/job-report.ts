import { counted } from '../counted.ts'
import type { IngestReport, Skipped } from '../ingest/ingest.ts'
import type { NewVersion, StoredVersion } from './parse-catalog.ts'
import type { JobReport, ParseJob } from './parse-job.ts'

/** What a job has done, filled as it goes: a job that fails is reported too. */
export type Tally = {
  filesRead: number
  skipped: Skipped[]
  published: NewVersion[]
  snippetsBefore: number
  textsEmbedded: number
  /** The default content that is served, where the job leaves it. */
  held: StoredVersion | undefined
  llmTokens(): number
  /** The version that is being read. */
  underWay: { report: IngestReport; skipped: Skipped[] } | undefined
}

const mostSkipped = 1000

/** Goes on from what the job's earlier attempts have done. */
export const tallyOf = ({ report }: ParseJob, held: StoredVersion | undefined): Tally => ({
  filesRead: report?.filesRead ?? 0,
  skipped: report?.skipped ?? [],
  published: [],
  snippetsBefore: report?.snippetsBefore ?? held?.snippets ?? 0,
  textsEmbedded: report?.textsEmbedded ?? 0,
  held,
  llmTokens: () => report?.llmTokens ?? 0,
  underWay: undefined,
})

/** Without what is under way: it is read again by the next attempt. */
export function reportOf(
  { filesRead, skipped, published, snippetsBefore, textsEmbedded, held, llmTokens }: Tally,
  durationMs: number,
): JobReport {
  const served = published.find(({ version }) => version === '') ?? held
  const others = published.filter(({ version }) => version !== '')
  return {
    filesRead,
    skipped: firstOf(skipped),
    snippetsBefore,
    snippetsAfter: served?.snippets ?? 0,
    tokens: others.reduce((sum, { tokens }) => sum + tokens, served?.tokens ?? 0),
    durationMs,
    textsEmbedded,
    llmTokens: llmTokens(),
  }
}

/** With what was found in the version that is under way. */
export function lastReportOf(tally: Tally, durationMs: number): JobReport {
  const { report, skipped = [] } = tally.underWay ?? {}
  return reportOf(
    {
      ...tally,
      filesRead: tally.filesRead + (report?.filesRead ?? 0),
      skipped: [...tally.skipped, ...skipped, ...(report?.skipped ?? [])],
    },
    durationMs,
  )
}

/** In the order of paths; of very many only the first, and how many more there are. */
export function firstOf(skipped: Skipped[]): Skipped[] {
  const sorted = skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - mostSkipped
  return more > 0 ? [...sorted.slice(0, mostSkipped), { path: '…', reason: `and ${counted(more, 'more file')}` }] : sorted
}
