import { emptyReport } from './index-files.ts'
import type { StoredVersion } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, JobRun } from './job-run.ts'

/**
 * The generation of another version of the library as the content of this one: it was read from the same commit, with the settings, the
 * format and the embedding model of this run. Undefined if there is none. What it holds names the commit, never the branch or tag.
 */
export async function shareContent(
  run: JobRun,
  { version, ref, commit, held }: { version: string; ref: string; commit: string; held: StoredVersion | undefined },
  outdated: (version: string) => boolean,
): Promise<Content | undefined> {
  const { catalog, embedding, id, job, progress, snippets } = run
  const isOutdated = ({ generation, version }: StoredVersion) => !generation.startsWith(`g${job.id}-`) && outdated(version)
  // As they are now: a version may have been removed, and its content with it, since the job began.
  for (const other of await catalog.versions(id)) {
    if (other.version === version || other.commit !== commit || isOutdated(other)) continue
    // It is read, and found to be too great a loss.
    if (held && !job.request.force && other.snippets * 2 < held.snippets) continue
    if ((other.format ?? 1) !== snippets.format || other.space?.model !== embedding?.embedder?.model) continue
    if (!(await isReadable(snippets, other))) continue
    const { updatedAt: _, ...same } = other
    progress.log(`${version} is the same commit as ${other.version || other.ref} and shares its content.`)
    return { version: { ...same, version, ref }, report: emptyReport(), skipped: [] }
  }
  return undefined
}
