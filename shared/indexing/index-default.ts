import type { ProjectSettings } from '../reading/discover/read-project-file.ts'
import { findRef } from '../reading/git/remote-refs.ts'
import { fetchDefault } from './fetch-version.ts'
import { indexVersion } from './index-version.ts'
import type { LibraryFacts, StoredLibrary } from './indexing-catalog.ts'
import { isReadable } from './is-readable.ts'
import type { Content, JobRun } from './job-run.ts'
import { libraryFacts, unchangedFacts } from './library-facts.ts'
import { outdatedCheck, type StoredVersions } from './source-settings.ts'

export type Default = {
  facts: Omit<LibraryFacts, 'settings'>
  /** Undefined if the served content is up to date. */
  content: Content | undefined
  /** Tags and branches that the project file names. */
  named: string[]
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
  const keep = (current: StoredLibrary, named: string[]): Default => {
    progress.log(`Commit ${stored?.commit.slice(0, 12)} is indexed already. Parse with force to index it again.`)
    return { facts: unchangedFacts(run, current), content: undefined, named }
  }
  const { name, commit } = findRef(remote, job.request.branch)
  if (library && isUnchanged({ ref: name, commit })) return keep(library, (await catalog.settings(job.library)).named ?? [])
  const fetched = await fetchDefault(run)
  const named = namedVersions(fetched.project)
  if (library && isUnchanged(fetched)) {
    await clones.discard(fetched.folder)
    return keep(library, named)
  }
  const content = await indexVersion(run, fetched, '', stored)
  const facts = await libraryFacts(run, fetched, content.report)
  await clones.discard(fetched.folder)
  return { facts, content, named }
}

/** Tags and branches that the project file names. */
export const namedVersions = ({ previousVersions = [], branchVersions = [] }: ProjectSettings): string[] => [
  ...previousVersions.map(({ tag }) => tag),
  ...branchVersions.map(({ branch }) => branch),
]
