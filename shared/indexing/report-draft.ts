import type { Skipped } from '../reading/discover/skipped.ts'
import { pluralize } from '../text/pluralize.ts'
import type { IndexReport } from './index-files.ts'
import type { IndexJob, JobReport, VersionReport } from './index-job.ts'
import type { StoredVersion } from './indexing-catalog.ts'

/** What a job has done, filled as it goes: a job that fails is reported too. */
export type ReportDraft = {
  skipped: Skipped[]
  /** By version: what is served, and what of this job failed. */
  versions: Map<string, VersionReport>
  snippetsBefore: number
  textsEmbedded: number
  llmTokens(): number
  /** The version that is being read. */
  current: { version: string; report: IndexReport; skipped: Skipped[] } | undefined
}

const maxSkipped = 1000

/** Goes on from what the job's earlier attempts have done. */
export const draftReport = ({ report, spent }: IndexJob, held: StoredVersion[]): ReportDraft => ({
  skipped: report?.skipped ?? [],
  versions: new Map([
    ...(report?.versions ?? []).map((each) => [each.version, { ...each, snippets: 0, tokens: 0 }] as const),
    ...held.map((each) => [each.version, rowOf(each, report)] as const),
  ]),
  snippetsBefore: report?.snippetsBefore ?? held.reduce((sum, { snippets }) => sum + snippets, 0),
  textsEmbedded: (spent ?? report)?.textsEmbedded ?? 0,
  llmTokens: () => (spent ?? report)?.llmTokens ?? 0,
  current: undefined,
})

/** With what an earlier attempt of the job has read of it. */
function rowOf({ version, snippets, tokens }: StoredVersion, report: JobReport | null): VersionReport {
  const { filesRead = 0, skipped = 0 } = report?.versions?.find((each) => each.version === version) ?? {}
  return { version, filesRead, snippets, tokens, skipped }
}

/** Counts what was read of a version and published, or read before the version failed. Replaces what an earlier attempt counted. */
export function addVersion(
  draft: ReportDraft,
  version: Pick<VersionReport, 'version' | 'filesRead'> & Partial<VersionReport>,
  skipped: Skipped[],
): void {
  const { version: name, filesRead } = version
  const { snippets = 0, tokens = 0 } = { ...draft.versions.get(name), ...version }
  draft.versions.set(name, { version: name, filesRead, snippets, tokens, skipped: skipped.length })
  const prefix = name === '' ? '' : `@${name}/`
  const others =
    prefix === '' ? draft.skipped : draft.skipped.filter(({ path }) => path !== `@${name}` && !path.startsWith(prefix))
  draft.skipped = [...others, ...skipped.map(({ path, reason }) => ({ path: `${prefix}${path}`, reason }))]
  draft.current = undefined
}

/** Counts what was found in the version that is being read, which failed. */
export function addFailedVersion(draft: ReportDraft): void {
  if (!draft.current) return
  const { version, report, skipped } = draft.current
  addVersion(draft, { version, filesRead: report.filesRead }, [...skipped, ...report.skipped])
}

/** Without what is under way: it is read again by the next attempt. */
export function finishReport(
  { skipped, versions, snippetsBefore, textsEmbedded, llmTokens }: ReportDraft,
  durationMs: number,
): JobReport {
  const rows = [...versions.values()]
  return {
    filesRead: rows.reduce((sum, { filesRead }) => sum + filesRead, 0),
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

/** In the order of paths; of very many only the first, and how many more there are. */
export function firstSkipped(skipped: Skipped[]): Skipped[] {
  const sorted = skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - maxSkipped
  return more > 0 ? [...sorted.slice(0, maxSkipped), { path: '…', reason: `and ${pluralize(more, 'more file')}` }] : sorted
}
