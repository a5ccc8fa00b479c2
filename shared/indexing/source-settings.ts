import { versionName } from '../library.ts'
import type { ProjectSettings } from '../reading/discover/read-project-file.ts'
import type { SourceSettings, StoredVersion } from './indexing-catalog.ts'
import type { JobRun } from './job-run.ts'

/** The served versions by name; '' is the default content. */
export type StoredVersions = ReadonlyMap<string, StoredVersion>

type CallerSettings = Pick<
  SourceSettings,
  | 'source'
  | 'branch'
  | 'tree'
  | 'versions'
  | 'folders'
  | 'excludeFolders'
  | 'excludeFiles'
  | 'languages'
  | 'generateDocs'
  | 'apiReference'
>

/** The settings that a caller chooses, without those that jobs maintain. */
export const callerSettings = ({
  source,
  branch,
  tree,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  languages,
  generateDocs,
  apiReference,
}: SourceSettings): CallerSettings => ({
  source,
  branch,
  tree,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  languages,
  generateDocs,
  apiReference,
})

/** The settings that a job stores with the default content, and what its project file names. */
export async function sourceSettings(
  { catalog, job }: Pick<JobRun, 'catalog' | 'job'>,
  stored: StoredVersions,
  { named, projectBranch }: Pick<SourceSettings, 'named' | 'projectBranch'>,
  isOutdated: (version: string) => boolean,
): Promise<SourceSettings & { outdated: string[] }> {
  const requested = new Set(job.request.versions?.map(versionName))
  const before = await catalog.settings(job.library)
  const { tagRule, schedule } = job.request
  const kept: Pick<SourceSettings, 'tagRule' | 'schedule'> = job.request.complete ? {} : before
  return {
    ...callerSettings(job.request),
    named,
    projectBranch,
    tagRule: tagRule ?? kept.tagRule,
    byRule: before.byRule,
    schedule: schedule ?? kept.schedule,
    flagged: before.flagged,
    unwanted: before.unwanted?.filter((name) => !requested.has(name)),
    outdated: [...stored.keys()].filter((name) => name !== '' && isOutdated(name)),
  }
}

/** The refs to index in addition to the default content, by version name: requested, named by the project file, by a rule, or stored already. */
export function versionsToIndex(
  { job }: { job: { request: Pick<SourceSettings, 'versions'> } },
  stored: StoredVersions,
  { named = [], unwanted = [] }: Pick<SourceSettings, 'named' | 'unwanted'>,
  byRule: string[] = [],
): Map<string, string> {
  const versions = new Map<string, string>()
  const storedRefs = [...stored.values()].filter(({ version }) => version !== '').map(({ ref }) => ref)
  const namedRefs = named.filter((ref) => !unwanted.includes(versionName(ref)))
  for (const ref of [...(job.request.versions ?? []), ...namedRefs, ...byRule, ...storedRefs]) {
    const name = versionName(ref)
    if (!versions.has(name)) versions.set(name, ref)
  }
  return versions
}

/** The settings that decide which files are read, as text to compare. */
export const selection = (settings: SourceSettings) => {
  const { branch, folders, excludeFolders, excludeFiles, languages, generateDocs = false, apiReference = false } = settings
  return JSON.stringify([branch, folders, excludeFolders, excludeFiles, languages, generateDocs, apiReference])
}

/** Tags and branches that the project file names. */
export const namedVersions = ({ previousVersions = [], branchVersions = [] }: ProjectSettings): string[] => [
  ...previousVersions.map(({ tag }) => tag),
  ...branchVersions.map(({ branch }) => branch),
]
