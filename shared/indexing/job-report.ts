import type { Skipped } from '../reading/discover/skipped.ts'
import { pluralize } from '../text/pluralize.ts'
import type { IndexReport } from './index-files.ts'
import type { IndexJob, JobReport, VersionReport } from './index-job.ts'
import type { StoredVersion } from './indexing-catalog.ts'

/** What a job has done, filled as it goes: a job that fails is reported too. */
export type Tally = {
  skipped: Skipped[]
  /** By version: what is served, and what of this job failed. */
  versions: Map<string, VersionReport>
  snippetsBefore: number
  textsEmbedded: number
  llmTokens(): number
  /** The version that is being read. */
  underWay: { version: string; report: IndexReport; skipped: Skipped[] } | undefined
}

const maxSkipped = 1000

/** Goes on from what the job's earlier attempts have done. */
export const tallyOf = ({ report, spent }: IndexJob, held: StoredVersion[]): Tally => ({
  skipped: report?.skipped ?? [],
  versions: new Map([
    ...(report?.versions ?? []).map((each) => [each.version, { ...each, snippets: 0, tokens: 0 }] as const),
    ...held.map((each) => [each.version, rowOf(each, report)] as const),
  ]),
  snippetsBefore: report?.snippetsBefore ?? held.reduce((sum, { snippets }) => sum + snippets, 0),
  textsEmbedded: (spent ?? report)?.textsEmbedded ?? 0,
  llmTokens: () => (spent ?? report)?.llmTokens ?? 0,
  underWay: undefined,
})

/** With what an earlier attempt of the job has read of it. */
function rowOf({ version, snippets, tokens }: StoredVersion, report: JobReport | null): VersionReport {
  const { filesRead = 0, skipped = 0 } = report?.versions?.find((each) => each.version === version) ?? {}
  return { version, filesRead, snippets, tokens, skipped }
}

/** Counts what was read of a version and published, or read before the version failed. Replaces what an earlier attempt counted. */
export function count(
  tally: Tally,
  version: Pick<VersionReport, 'version' | 'filesRead'> & Partial<VersionReport>,
  skipped: Skipped[],
): void {
  const { version: name, filesRead } = version
  const { snippets = 0, tokens = 0 } = { ...tally.versions.get(name), ...version }
  tally.versions.set(name, { version: name, filesRead, snippets, tokens, skipped: skipped.length })
  const prefix = name === '' ? '' : `@${name}/`
  const others =
    prefix === '' ? tally.skipped : tally.skipped.filter(({ path }) => path !== `@${name}` && !path.startsWith(prefix))
  tally.skipped = [...others, ...skipped.map(({ path, reason }) => ({ path: `${prefix}${path}`, reason }))]
  tally.underWay = undefined
}

/** Counts what was found in the version that is being read, which failed. */
export function countFailed(tally: Tally): void {
  if (!tally.underWay) return
  const { version, report, skipped } = tally.underWay
  count(tally, { version, filesRead: report.filesRead }, [...skipped, ...report.skipped])
}

/** Without what is under way: it is read again by the next attempt. */
export function reportOf({ skipped, versions, snippetsBefore, textsEmbedded, llmTokens }: Tally, durationMs: number): JobReport {
  const rows = [...versions.values()]
  return {
    filesRead: rows.reduce((sum, { filesRead }) => sum + filesRead, 0),
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

/** In the order of paths; of very many only the first, and how many more there are. */
export function firstOf(skipped: Skipped[]): Skipped[] {
  const sorted = skipped.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - maxSkipped
  return more > 0 ? [...sorted.slice(0, maxSkipped), { path: '…', reason: `and ${pluralize(more, 'more file')}` }] : sorted
}
