import { findRef } from '../reading/git/remote-refs.ts'
import { readQuestion } from '../search/question/read-question.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import type { Content, JobRun } from './job-run.ts'
import { emptyReport } from './pages/index-report.ts'
import { type StoredVersions, selection } from './source-settings.ts'

/** A version that a job must bring up to date. */
export type Wanted = { version: string; ref: string; stored: StoredVersion | undefined }

/**
 * 'keep' if the served content is up to date, the content of another version if this one can share it, else 'read'. Throws tag_not_found.
 */
export async function decideVersion(
  run: JobRun,
  wanted: Wanted,
  isOutdated: (version: string) => boolean,
): Promise<'keep' | 'read' | Content> {
  const { version, stored } = wanted
  const { name, commit } = findRef(run.source, wanted.ref)
  const isUnchanged = !isOutdated(version) && stored?.commit === commit
  if (isUnchanged && (await isReadable(run.snippets, stored))) return 'keep'
  return (await sharedContent(run, { version, ref: name, stored }, commit, isOutdated)) ?? 'read'
}

/**
 * Returns a function that is true if a version must be read again although its commit is unchanged: because the request forces it, or
 * the content came from another source, another selection or an older format. Content that an earlier attempt of this job read is kept.
 */
export async function outdatedCheck(
  { job, catalog, snippets }: JobRun,
  stored: StoredVersions,
): Promise<(version: string) => boolean> {
  const library = await catalog.find(job.library)
  const settings = await catalog.settings(job.library)
  const isSame = library && !library.imported && !job.request.force && selection(settings) === selection(job.request)
  const outdated = new Set(settings.outdated)
  return (version) => {
    const content = stored.get(version)
    if (content?.generation.startsWith(`g${job.id}-`)) return false
    return !isSame || outdated.has(version) || (content !== undefined && content.format < snippets.format)
  }
}

/** True if the served content is intact and can be searched for its first topic. It may be lost or damaged where it is stored. */
export async function isReadable(
  snippets: Pick<SnippetStore, 'statistics' | 'search' | 'isIntact'>,
  { generation }: StoredVersion,
): Promise<boolean> {
  try {
    if ((await snippets.isIntact?.(generation)) === false) return false
    const library = await snippets.statistics(generation)
    if (!library) return false
    const terms = readQuestion(library.topics[0] ?? '', library).concepts.flat()
    return (await snippets.search(generation, terms, 1)) !== undefined
  } catch {
    return false
  }
}

/**
 * Reuses the generation of another version of the library for this version, if it was read from the same commit with the settings and format
 * of this run, and has vectors if this version has; else undefined. Safe because its snippets name the commit, never the branch or tag.
 */
async function sharedContent(
  run: JobRun,
  { version, ref, stored }: Wanted,
  commit: string,
  isOutdated: (version: string) => boolean,
): Promise<Content | undefined> {
  const { catalog, job, progress, snippets } = run
  const mustBeRead = ({ generation, version }: StoredVersion) => !generation.startsWith(`g${job.id}-`) && isOutdated(version)
  // The versions are read again: one may have been removed with its content since the job began.
  for (const other of await catalog.versions(job.library)) {
    if (other.version === version || other.commit !== commit || mustBeRead(other)) continue
    // The version would lose more than half of its snippets. Indexing it reports that.
    if (stored && !job.request.force && other.snippets * 2 < stored.snippets) continue
    if (other.format !== snippets.format || (stored?.space && other.space?.model !== stored.space.model)) continue
    if (!(await isReadable(snippets, other))) continue
    const { updatedAt: _, ...same } = other
    progress.log(`${version} is the same commit as ${other.version || other.ref} and shares its content.`)
    return { version: { ...same, version, ref }, report: emptyReport(), skipped: [] }
  }
  return undefined
}
