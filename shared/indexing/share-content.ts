import type { StoredVersion } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, JobRun } from './job-run.ts'
import { emptyReport } from './pages/index-report.ts'

/**
 * Reuses the generation of another version of the library for this version, if it was read from the same commit with the settings, format
 * and embedding model of this run; else undefined. Safe because its snippets name the commit, never the branch or tag.
 */
export async function shareContent(
  run: JobRun,
  { version, ref, commit, stored }: { version: string; ref: string; commit: string; stored: StoredVersion | undefined },
  isOutdated: (version: string) => boolean,
): Promise<Content | undefined> {
  const { catalog, embedding, job, progress, snippets } = run
  const mustBeRead = ({ generation, version }: StoredVersion) => !generation.startsWith(`g${job.id}-`) && isOutdated(version)
  // The versions are read again: one may have been removed with its content since the job began.
  for (const other of await catalog.versions(job.library)) {
    if (other.version === version || other.commit !== commit || mustBeRead(other)) continue
    // The version would lose more than half of its snippets. Indexing it reports that.
    if (stored && !job.request.force && other.snippets * 2 < stored.snippets) continue
    if (other.format !== snippets.format || other.space?.model !== embedding?.embedder?.model) continue
    if (!(await isReadable(snippets, other))) continue
    const { updatedAt: _, ...same } = other
    progress.log(`${version} is the same commit as ${other.version || other.ref} and shares its content.`)
    return { version: { ...same, version, ref }, report: emptyReport(), skipped: [] }
  }
  return undefined
}
