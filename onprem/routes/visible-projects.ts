import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import { parseRepoUrl } from '../../shared/reading/git/repo-address.ts'
import type { App } from '../app.ts'
import { findProject } from '../store/find-project.ts'
import type { Project } from '../store/project.ts'
import type { UnservedLibrary } from '../store/unserved-libraries.ts'

type VisibleProjectsPorts = Pick<App, 'catalog' | 'jobs' | 'gitHosts'>

const merged = new WeakMap<readonly UnservedLibrary[], { served: readonly Project[]; all: readonly Project[] }>()

/** All libraries, also those without content whose first job is unfinished or has failed; the same list until one of them changes. */
export function visibleProjects({ catalog, jobs, gitHosts }: VisibleProjectsPorts): readonly Project[] {
  const served = catalog.projects()
  const unserved = jobs.unserved.list()
  if (unserved.length === 0) return served
  const known = merged.get(unserved)
  if (known?.served === served) return known.all
  const keys = new Set(unserved.map(({ key }) => key))
  const all = served.filter((each) => each.state === 'finalized' || !keys.has(each.id.toLowerCase()))
  const kept = new Set(all.map(({ id }) => id.toLowerCase()))
  for (const each of unserved) if (!kept.has(each.key)) all.push(unservedProject(each, gitHosts))
  merged.set(unserved, { served, all })
  return all
}

/** Like `findProject`, also for a library without content. */
export function findVisible({ catalog, jobs, gitHosts }: VisibleProjectsPorts, id: LibraryId): Project {
  const unserved = jobs.unserved.find(libraryKey(id))
  return findProject({ find: (asked) => (unserved ? unservedProject(unserved, gitHosts) : catalog.find(asked)) }, id)
}

function unservedProject({ id, title, state, kind, ...more }: UnservedLibrary, gitHosts: App['gitHosts']): Project {
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
    sourceUrl: sourceUrl(more.repoUrl, gitHosts),
    commit: '',
    imported: kind === 'import',
    private: false,
    generated: false,
  }
}

/** Empty if the settings do not name its host any more. */
function sourceUrl(repoUrl: string, gitHosts: App['gitHosts']): string {
  try {
    return repoUrl === '' ? '' : parseRepoUrl(repoUrl, gitHosts()).webUrl
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
