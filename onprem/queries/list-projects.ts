import { z } from 'zod'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { type VisibleProjectsPorts, visibleProjects } from '../store/catalog/visible-projects.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import { matchesFilter, origins, states } from './matches-filter.ts'
import { type ProjectAnswer, type ProjectAnswerPorts, projectAnswer } from './project-answer.ts'
import { filterProjects, orders, sortProjects, sorts } from './sort-projects.ts'

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
