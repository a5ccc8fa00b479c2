import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, libraryKey, shownId, versionNamed, withNamedVersion } from '../../../shared/library.ts'
import type { GitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { excerpt } from '../../../shared/text/excerpt.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { UnservedLibrary } from '../jobs/unserved-libraries.ts'
import type { InstallLibrary } from './install-library.ts'
import type { InstallCatalog } from './sqlite-catalog.ts'

export type VisibleLibrariesPorts = {
  catalog: Pick<InstallCatalog, 'libraries' | 'find'>
  jobs: Pick<JobStore, 'unserved'>
  gitHosts(): GitHosts
}

const merged = new WeakMap<readonly UnservedLibrary[], { served: readonly InstallLibrary[]; all: readonly InstallLibrary[] }>()

/** All libraries, including those without content whose first job is unfinished or has failed. Returns the same list until one of them changes. */
export function visibleLibraries({ catalog, jobs, gitHosts }: VisibleLibrariesPorts): readonly InstallLibrary[] {
  const served = catalog.libraries()
  const unserved = jobs.unserved.list()
  if (unserved.length === 0) return served
  const cached = merged.get(unserved)
  if (cached?.served === served) return cached.all
  const keys = new Set(unserved.map(({ key }) => key))
  const all = served.filter((each) => each.state === 'finalized' || !keys.has(each.id.toLowerCase()))
  const kept = new Set(all.map(({ id }) => id.toLowerCase()))
  for (const each of unserved) if (!kept.has(each.key)) all.push(fromUnserved(each, gitHosts))
  merged.set(unserved, { served, all })
  return all
}

/** `findLibrary`, which also finds libraries without content. */
export function findVisible({ catalog, jobs, gitHosts }: VisibleLibrariesPorts, id: LibraryId): InstallLibrary {
  const unserved = jobs.unserved.find(libraryKey(id))
  return findLibrary({ find: (wanted) => (unserved ? fromUnserved(unserved, gitHosts) : catalog.find(wanted)) }, id)
}

function fromUnserved(
  { id, title, state, kind, ...more }: UnservedLibrary,
  gitHosts: VisibleLibrariesPorts['gitHosts'],
): InstallLibrary {
  return {
    id,
    title,
    description: `Documentation of ${id.slice(1)}`,
    branch: more.branch,
    lastUpdateDate: more.updatedAt,
    state,
    totalTokens: 0,
    totalSnippets: 0,
    codeSnippets: 0,
    stars: -1,
    trustScore: -1,
    benchmarkScore: 0,
    versions: [],
    source: kind === 'import' ? 'Imported' : 'Local',
    aliases: more.aliases,
    sourceUrl: more.isRepository ? repositoryUrl(more.repoUrl, gitHosts) : more.repoUrl,
    commit: '',
    tags: [],
    imported: kind === 'import',
    private: false,
    generated: false,
  }
}

/** Empty if the settings no longer name its host. */
function repositoryUrl(repoUrl: string, gitHosts: VisibleLibrariesPorts['gitHosts']): string {
  try {
    return parseRepoUrl(repoUrl, gitHosts()).webUrl
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}

/** The library of an id. Throws library_not_found, and tag_not_found if it does not have the pinned version. */
export function findLibrary(catalog: Pick<InstallCatalog, 'find'>, id: LibraryId): InstallLibrary {
  const library = catalog.find(id)
  if (!library) throw new AppError('library_not_found', `${shownId({ owner: id.owner, repo: id.repo })} is not in this install.`)
  if (id.version !== undefined && versionNamed(id.version, new Set(library.versions)) === undefined) {
    const available = library.versions.length > 0 ? `there are: ${library.versions.join(', ')}` : 'it has none'
    throw new AppError('tag_not_found', `${library.id} has no version "${excerpt(id.version)}"; ${available}.`)
  }
  return library
}

/** The id with its version as the library spells it. */
export const storedId = (library: InstallLibrary, id: LibraryId): LibraryId => withNamedVersion(id, new Set(library.versions))
