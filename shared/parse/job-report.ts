import { counted } from '../counted.ts'
import type { IngestReport, Skipped } from '../ingest/ingest.ts'
import type { StoredVersion } from './parse-catalog.ts'
import type { JobReport, ParseJob, VersionReport } from './parse-job.ts'

/** What a job has done, filled as it goes: a job that fails is reported too. */
export type Tally = {
  filesRead: number
  skipped: Skipped[]
  /** What is served, by version. */
  versions: Map<string, VersionReport>
  snippetsBefore: number
  textsEmbedded: number
  llmTokens(): number
  /** The version that is being read. */
  underWay: { report: IngestReport; skipped: Skipped[] } | undefined
}

const mostSkipped = 1000

/** Goes on from what the job's earlier attempts have done. */
export const tallyOf = ({ report }: ParseJob, held: StoredVersion[]): Tally => ({
  filesRead: report?.filesRead ?? 0,
  skipped: report?.skipped ?? [],
  versions: new Map(held.map((each) => [each.version, rowOf(each, report)])),
  snippetsBefore: report?.snippetsBefore ?? held.reduce((sum, { snippets }) => sum + snippets, 0),
  textsEmbedded: report?.textsEmbedded ?? 0,
  llmTokens: () => report?.llmTokens ?? 0,
  underWay: undefined,
})

/** With what an earlier attempt of the job has read of it. */
function rowOf({ version, snippets, tokens }: StoredVersion, report: JobReport | null): VersionReport {
  const { filesRead = 0, skipped = 0 } = report?.versions?.find((each) => each.version === version) ?? {}
  return { version, filesRead, snippets, tokens, skipped }
}

/** Without what is under way: it is read again by the next attempt. */
export function reportOf(
  { filesRead, skipped, versions, snippetsBefore, textsEmbedded, llmTokens }: Tally,
  durationMs: number,
): JobReport {
  const rows = [...versions.values()]
  return {
    filesRead,
    skipped: firstOf(skipped),
    snippetsBefore,
    snippetsAfter: rows.reduce((sum, { snippets }) => sum + snippets, 0),
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    durationMs,
    textsEmbedded,
    llmTokens: llmTokens(),
    versions: rows,
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
