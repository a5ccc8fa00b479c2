import type { Project } from '../store/catalog/project.ts'

export const sorts = ['id', 'title', 'updated', 'snippets', 'tokens'] as const
export const orders = ['asc', 'desc'] as const
type Sort = (typeof sorts)[number]
type Order = (typeof orders)[number]

const sorted = new WeakMap<readonly Project[], Map<string, Project[]>>()

/** Caches the result per list: sorting 10,000 libraries takes longer than the rest of a request. */
export function sortProjects(projects: readonly Project[], sort: Sort, order: Order): Project[] {
  const known = sorted.get(projects) ?? new Map<string, Project[]>()
  sorted.set(projects, known)
  const name = `${sort} ${order}`
  const result = known.get(name) ?? sortedBy(by[sort], order, projects)
  known.set(name, result)
  return result
}

type Key = string | number

/** Computes each key once, not per comparison. */
function sortedBy(keyOf: (project: Project) => Key, order: Order, projects: readonly Project[]): Project[] {
  const sign = order === 'asc' ? 1 : -1
  return projects
    .map((project) => ({ project, key: keyOf(project) }))
    .sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ project }) => project)
}

const by: Record<Sort, (project: Project) => Key> = {
  id: ({ id }) => id.toLowerCase(),
  title: ({ title }) => title.toLowerCase(),
  updated: ({ lastUpdateDate }) => lastUpdateDate,
  snippets: ({ totalSnippets }) => totalSnippets,
  tokens: ({ totalTokens }) => totalTokens,
}

const texts = new WeakMap<Project, string>()

/** Libraries with the text in their id, title or description. */
export function filterProjects(projects: readonly Project[], text: string): Project[] {
  const wanted = text.toLowerCase()
  return projects.filter((each) => textOf(each).includes(wanted))
}

function textOf(project: Project): string {
  const text = texts.get(project) ?? `${project.id}\n${project.title}\n${project.description}`.toLowerCase()
  texts.set(project, text)
  return text
}
