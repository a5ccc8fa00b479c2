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
  /** Undefined where what is served is what the repository holds. */
  content: Content | undefined
  /** Tags and branches that the project file names. */
  named: string[]
}

/** Writes the default content, unless its commit is indexed already and can be read. Throws what fetching and indexing throw. */
export async function indexDefault(run: JobRun, versions: StoredVersions): Promise<Default> {
  const { catalog, clones, id, job, progress, remote, snippets } = run
  const held = versions.get('')
  const project = await catalog.find(id)
  const lost = held !== undefined && !(await isReadable(snippets, held))
  if (lost) progress.log('The content that is served cannot be read; it is written again.')
  const outdated = lost || (await outdatedCheck(run, versions))('')
  const unchanged = (at: { ref: string; commit: string }) => !outdated && held?.ref === at.ref && held.commit === at.commit
  const keep = (of: StoredLibrary, named: string[]): Default => {
    progress.log(`Commit ${held?.commit.slice(0, 12)} is indexed already. Force parses it again.`)
    return { facts: unchangedFacts(run, of), content: undefined, named }
  }
  const { name, commit } = findRef(remote, job.request.branch)
  if (project && unchanged({ ref: name, commit })) return keep(project, (await catalog.settings(id)).named ?? [])
  const fetched = await fetchDefault(run)
  const named = versionsIn(fetched.project)
  if (project && unchanged(fetched)) {
    await clones.discard(fetched.folder)
    return keep(project, named)
  }
  const content = await indexVersion(run, fetched, '', held)
  const facts = await libraryFacts(run, fetched, content.report)
  await clones.discard(fetched.folder)
  return { facts, content, named }
}

const versionsIn = ({ previousVersions = [], branchVersions = [] }: ProjectSettings): string[] => [
  ...previousVersions.map(({ tag }) => tag),
  ...branchVersions.map(({ branch }) => branch),
]
