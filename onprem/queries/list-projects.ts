import { z } from 'zod'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import type { Project } from '../store/catalog/project.ts'
import { type VisibleProjectsPorts, visibleProjects } from '../store/catalog/visible-projects.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { type ProjectAnswer, type ProjectAnswerPorts, projectAnswer } from './project-answer.ts'

const sorts = ['id', 'title', 'updated', 'snippets', 'tokens'] as const
const orders = ['asc', 'desc'] as const
const origins = ['parsed', 'imported', 'private', 'generated'] as const
const states = ['finalized', 'processing', 'error'] as const
type Sort = (typeof sorts)[number]
type Order = (typeof orders)[number]
type ProjectFilter = { origin?: (typeof origins)[number] | undefined; state?: (typeof states)[number] | undefined }

export const ListQuery = z.object({
  q: z.string().max(500).optional().describe('Only libraries with this text in the id, title or description'),
  origin: z.enum(origins).optional().describe('Only libraries that were parsed here or imported, or are private or generated'),
  state: z
    .enum(states)
    .optional()
    .describe('Only libraries with content (finalized), with an unfinished job (processing), or whose first job failed (error)'),
  sort: z.enum(sorts).default('id'),
  order: z.enum(orders).default('asc'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})
type ListQuery = z.infer<typeof ListQuery>

export type ListPorts = VisibleProjectsPorts & ProjectAnswerPorts & { jobs: Pick<JobStore, 'active'> }
type ProjectPage = { projects: ProjectAnswer[]; total: number; page: number; pageSize: number }

/** One page of the libraries of this install. A page beyond the end is empty. */
export function listProjects(ports: ListPorts, { q, origin, state, sort, order, page, pageSize }: ListQuery): ProjectPage {
  const sorted = sortProjects(visibleProjects(ports), sort, order)
  const named = q === undefined ? sorted : filterProjects(sorted, q)
  const found = origin || state ? named.filter(matchesFilter(ports, { origin, state })) : named
  const projects = found.slice((page - 1) * pageSize, page * pageSize).map((each) => projectAnswer(ports, each))
  return { projects, total: found.length, page, pageSize }
}

/** Returns a test for libraries. A library with content that is parsed again is both finalized and processing. */
function matchesFilter(
  { jobs }: { jobs: Pick<JobStore, 'active'> },
  { origin, state }: ProjectFilter,
): (project: Project) => boolean {
  const busy = new Set(state === 'processing' ? jobs.active().map(({ project }) => libraryOf(project)) : [])
  return (project) =>
    (origin === undefined || (origin === 'parsed' ? !project.imported : project[origin])) &&
    (state === undefined || project.state === state || busy.has(project.id.toLowerCase()))
}

/** The key of the library, without the version that a job may name. */
const libraryOf = (project: string): string => project.toLowerCase().split('/').slice(0, 3).join('/').replace(/@.*/, '')

const sorted = new WeakMap<readonly Project[], Map<string, Project[]>>()

/** Caches the result per list: sorting 10,000 libraries takes longer than the rest of a request. */
function sortProjects(projects: readonly Project[], sort: Sort, order: Order): Project[] {
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
function filterProjects(projects: readonly Project[], text: string): Project[] {
  const wanted = text.toLowerCase()
  return projects.filter((each) => textOf(each).includes(wanted))
}

function textOf(project: Project): string {
  const text = texts.get(project) ?? `${project.id}\n${project.title}\n${project.description}`.toLowerCase()
  texts.set(project, text)
  return text
}
