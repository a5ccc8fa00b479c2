import type { Skipped } from '../reading/discover/skipped.ts'
import { pluralize } from '../text/figures.ts'
import type { IndexJob, JobReport, VersionReport } from './index-job.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import type { IndexReport } from './pages/index-report.ts'

/** The report of a running job, filled step by step, so that a failed job has a report too. */
export type ReportDraft = {
  skipped: Skipped[]
  /** The served content and this job's failures, per version. */
  versions: Map<string, VersionReport>
  snippetsBefore: number
  textsEmbedded: number
  llmTokens(): number
  /** The version that is being read. */
  current: { version: string; report: IndexReport; skipped: Skipped[] } | undefined
}

const maxSkipped = 1000

/** Starts from the report of the job's earlier attempts. */
export const draftReport = ({ report, spent }: IndexJob, stored: StoredVersion[]): ReportDraft => ({
  skipped: report?.skipped ?? [],
  versions: new Map([
    ...(report?.versions ?? []).map((each) => [each.version, { ...each, snippets: 0, tokens: 0 }] as const),
    ...stored.map((each) => [each.version, rowOf(each, report)] as const),
  ]),
  snippetsBefore: report?.snippetsBefore ?? stored.reduce((sum, { snippets }) => sum + snippets, 0),
  textsEmbedded: (spent ?? report)?.textsEmbedded ?? 0,
  llmTokens: () => (spent ?? report)?.llmTokens ?? 0,
  current: undefined,
})

/** Includes the files that an earlier attempt of the job read. */
function rowOf({ version, snippets, tokens }: StoredVersion, report: JobReport | null): VersionReport {
  const { filesRead = 0, filesKept = 0, skipped = 0 } = report?.versions?.find((each) => each.version === version) ?? {}
  return { version, filesRead, filesKept, snippets, tokens, skipped }
}

/** Adds the figures of a published or failed version. Replaces those of an earlier attempt. */
export function addVersion(
  draft: ReportDraft,
  version: Pick<VersionReport, 'version' | 'filesRead'> & Partial<VersionReport>,
  skipped: Skipped[],
): void {
  const { version: name, filesRead, filesKept = 0 } = version
  const { snippets = 0, tokens = 0 } = { ...draft.versions.get(name), ...version }
  draft.versions.set(name, { version: name, filesRead, filesKept, snippets, tokens, skipped: skipped.length })
  const prefix = name === '' ? '' : `@${name}/`
  const others =
    prefix === '' ? draft.skipped : draft.skipped.filter(({ path }) => path !== `@${name}` && !path.startsWith(prefix))
  draft.skipped = [...others, ...skipped.map(({ path, reason }) => ({ path: `${prefix}${path}`, reason }))]
  draft.current = undefined
}

/** Adds the figures of the version that was being read when the job failed. */
export function addFailedVersion(draft: ReportDraft): void {
  if (!draft.current) return
  const { version, report, skipped } = draft.current
  addVersion(draft, { version, filesRead: report.filesRead, filesKept: report.filesKept }, [...skipped, ...report.skipped])
}

/** Adds versions that the repository does not have, once for all attempts. */
export function reportMissing(draft: ReportDraft, missing: Skipped[]): void {
  const paths = new Set(missing.map(({ path }) => path))
  draft.skipped = [...draft.skipped.filter(({ path }) => !paths.has(path)), ...missing]
}

/** Omits the version that is being read: the next attempt reads it again. */
export function finishReport(
  { skipped, versions, snippetsBefore, textsEmbedded, llmTokens }: ReportDraft,
  durationMs: number,
): JobReport {
  const rows = [...versions.values()]
  return {
    filesRead: rows.reduce((sum, { filesRead }) => sum + filesRead, 0),
    filesKept: rows.reduce((sum, { filesKept = 0 }) => sum + filesKept, 0),
    skipped: firstSkipped(skipped),
    snippetsBefore,
    snippetsAfter: rows.reduce((sum, { snippets }) => sum + snippets, 0),
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    durationMs,
    textsEmbedded,
    llmTokens: llmTokens(),
    versions: rows,
  }
}

/** The figures of a report for the log of the process. */
export const loggedReport = ({ filesRead, filesKept = 0, snippetsAfter }: JobReport) => ({
  files: filesRead,
  filesKept,
  snippets: snippetsAfter,
})

/** The skipped files, sorted by path. A long list is cut, and its last entry gives the number of the others. */
export function firstSkipped(skipped: Skipped[]): Skipped[] {
  const sorted = skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - maxSkipped
  return more > 0 ? [...sorted.slice(0, maxSkipped), { path: '…', reason: `and ${pluralize(more, 'more file')}` }] : sorted
}
