import type { ProjectSettings } from '../reading/discover/read-project-file.ts'
import { findRef } from '../reading/git/remote-refs.ts'
import { fetchDefault, knownBranch } from './fetch-version.ts'
import { indexVersion } from './index-version.ts'
import type { LibraryFacts, SourceSettings, StoredLibrary } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, JobRun } from './job-run.ts'
import { libraryFacts, unchangedFacts } from './library-facts.ts'
import { rejectMissingFolders } from './reject-missing-folders.ts'
import { outdatedCheck, type StoredVersions } from './source-settings.ts'

export type Default = {
  facts: Omit<LibraryFacts, 'settings'>
  /** The new content; undefined if the served content is up to date. */
  content: Content | undefined
  /** Tags and branches that the project file names. */
  named: string[]
  projectBranch: SourceSettings['projectBranch']
}

/** Indexes the default content, unless its commit is indexed already and readable. Throws what fetching and indexing throw. */
export async function indexDefault(run: JobRun, versions: StoredVersions): Promise<Default> {
  const { catalog, clones, job, progress, remote, snippets } = run
  const stored = versions.get('')
  const library = await catalog.find(job.library)
  const isLost = stored !== undefined && !(await isReadable(snippets, stored))
  if (isLost) progress.log('The served content cannot be read; it is indexed again.')
  const isOutdated = isLost || (await outdatedCheck(run, versions))('')
  const isUnchanged = (at: { ref: string; commit: string }) =>
    !isOutdated && stored?.ref === at.ref && stored.commit === at.commit
  const keep = (current: StoredLibrary, named: string[], projectBranch: Default['projectBranch']): Default => {
    progress.log(`Commit ${stored?.commit.slice(0, 12)} is indexed already. Parse with force to index it again.`)
    return { facts: unchangedFacts(run, current), content: undefined, named, projectBranch }
  }
  const settings = await catalog.settings(job.library)
  const known = isOutdated ? undefined : settings.projectBranch
  const { name, commit } = knownBranch(run, known) ?? findRef(remote, job.request.branch)
  if (library && isUnchanged({ ref: name, commit })) return keep(library, settings.named ?? [], known)
  const fetched = await fetchDefault(run, known)
  const { projectBranch } = fetched
  const named = namedVersions(fetched.project)
  if (library && isUnchanged(fetched)) {
    await clones.discard(fetched.folder)
    return keep(library, named, projectBranch)
  }
  const content = await indexVersion(run, await rejectMissingFolders(run, fetched, stored), '', stored)
  const facts = await libraryFacts(run, fetched, content.report)
  await clones.discard(fetched.folder)
  return { facts, content, named, projectBranch }
}

/** Tags and branches that the project file names. */
export const namedVersions = ({ previousVersions = [], branchVersions = [] }: ProjectSettings): string[] => [
  ...previousVersions.map(({ tag }) => tag),
  ...branchVersions.map(({ branch }) => branch),
]
