import { versionName } from '../library.ts'
import type { SourceSettings, StoredVersion } from './indexing-catalog.ts'
import type { JobRun } from './job-run.ts'

/** The served versions by name; '' is the default content. */
export type StoredVersions = Map<string, StoredVersion>

type CallerSettings = Pick<
  SourceSettings,
  'branch' | 'tree' | 'versions' | 'folders' | 'excludeFolders' | 'excludeFiles' | 'generateDocs'
>

/** The settings that a caller chooses, without those that jobs maintain. */
export const callerSettings = ({
  branch,
  tree,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  generateDocs,
}: SourceSettings): CallerSettings => ({
  branch,
  tree,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  generateDocs,
})

/** The settings that a job stores with the default content, and what its project file names. */
export async function sourceSettings(
  run: JobRun,
  stored: StoredVersions,
  { named, projectBranch }: Pick<SourceSettings, 'named' | 'projectBranch'>,
): Promise<SourceSettings & { outdated: string[] }> {
  const { catalog, job } = run
  const requested = new Set(job.request.versions?.map(versionName))
  const isOutdated = await outdatedCheck(run, stored)
  const { unwanted } = await catalog.settings(job.library)
  return {
    ...callerSettings(job.request),
    named,
    projectBranch,
    unwanted: unwanted?.filter((name) => !requested.has(name)),
    outdated: [...stored.keys()].filter((name) => name !== '' && isOutdated(name)),
  }
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

/** The refs to index in addition to the default content, by version name: requested, named by the project file, or stored already. */
export function versionsToIndex(
  { job }: { job: { request: Pick<SourceSettings, 'versions'> } },
  stored: StoredVersions,
  { named = [], unwanted = [] }: SourceSettings,
): Map<string, string> {
  const versions = new Map<string, string>()
  const storedRefs = [...stored.values()].filter(({ version }) => version !== '').map(({ ref }) => ref)
  const namedRefs = named.filter((ref) => !unwanted.includes(versionName(ref)))
  for (const ref of [...(job.request.versions ?? []), ...namedRefs, ...storedRefs]) {
    const name = versionName(ref)
    if (!versions.has(name)) versions.set(name, ref)
  }
  return versions
}

/** The settings that decide which files are read, as text to compare. */
export const selection = ({ branch, folders, excludeFolders, excludeFiles, generateDocs = false }: SourceSettings) =>
  JSON.stringify([branch, folders, excludeFolders, excludeFiles, generateDocs])
