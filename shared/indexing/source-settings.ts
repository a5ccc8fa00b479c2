import { versionName } from '../library.ts'
import type { SourceSettings, StoredVersion } from './indexing-catalog.ts'
import type { JobRun } from './job-run.ts'

/** What is served, by version; '' is the default content. */
export type StoredVersions = Map<string, StoredVersion>

type CallerSettings = Pick<SourceSettings, 'branch' | 'versions' | 'folders' | 'excludeFolders' | 'excludeFiles' | 'generateDocs'>

/** The part of the settings that a caller chooses. */
export const callerSettings = ({
  branch,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  generateDocs,
}: SourceSettings): CallerSettings => ({
  branch,
  versions,
  folders,
  excludeFolders,
  excludeFiles,
  generateDocs,
})

/** The settings that a job stores with the default content; `named` are the refs that the project file names. */
export async function sourceSettings(
  run: JobRun,
  held: StoredVersions,
  named: string[],
): Promise<SourceSettings & { outdated: string[] }> {
  const { catalog, id, job } = run
  const lifted = new Set(job.request.versions?.map(versionName))
  const outdated = await outdatedCheck(run, held)
  const { unwanted } = await catalog.settings(id)
  return {
    ...callerSettings(job.request),
    named,
    unwanted: unwanted?.filter((name) => !lifted.has(name)),
    outdated: [...held.keys()].filter((name) => name !== '' && outdated(name)),
  }
}

/**
 * Whether content must be read again although its commit has not changed: it was read from elsewhere, with another selection or by an
 * older program, or that is forced. What an earlier attempt of this job has read stays.
 */
export async function outdatedCheck(
  { job, catalog, id, snippets }: JobRun,
  held: StoredVersions,
): Promise<(version: string) => boolean> {
  const project = await catalog.find(id)
  const settings = await catalog.settings(id)
  const same = project && !project.imported && !job.request.force && selection(settings) === selection(job.request)
  const outdated = new Set(settings.outdated)
  return (version) => {
    const content = held.get(version)
    if (content?.generation.startsWith(`g${job.id}-`)) return false
    return !same || outdated.has(version) || (content !== undefined && (content.format ?? 1) < snippets.format)
  }
}

/** Refs to index beside the default content, by the name of their version: what was asked for, named by the project file, or is held. */
export function versionsToIndex(
  { job }: JobRun,
  held: StoredVersions,
  { named = [], unwanted = [] }: SourceSettings,
): Map<string, string> {
  const wanted = new Map<string, string>()
  const heldRefs = [...held.values()].filter(({ version }) => version !== '').map(({ ref }) => ref)
  const welcome = named.filter((ref) => !unwanted.includes(versionName(ref)))
  for (const ref of [...(job.request.versions ?? []), ...welcome, ...heldRefs]) {
    const name = versionName(ref)
    if (!wanted.has(name)) wanted.set(name, ref)
  }
  return wanted
}

const selection = ({ branch, folders, excludeFolders, excludeFiles, generateDocs = false }: SourceSettings) =>
  JSON.stringify([branch, folders, excludeFolders, excludeFiles, generateDocs])
