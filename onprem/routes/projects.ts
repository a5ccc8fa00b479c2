import { Hono } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, type Operations } from '../../shared/api/operations.ts'
import { LibraryAnswer, toAnswer } from '../../shared/api/search.ts'
import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryIdPattern, libraryKey, parseLibraryId, printLibraryId } from '../../shared/library.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'
import { enqueueRefresh } from '../jobs/enqueue-parse.ts'
import { unservedText } from '../queries/unserved-text.ts'
import type { Project } from '../store/project.ts'
import { sweepVectors } from '../store/sweep-vectors.ts'
import { hidePrivate } from './hide-private.ts'
import { QueuedAnswer } from './parse.ts'
import { filterProjects, orders, sortProjects, sorts } from './sort-projects.ts'
import { findVisible, visibleProjects } from './visible-projects.ts'

const ListQuery = z.object({
  q: z.string().max(500).optional().describe('Only libraries with this text in the id, title or description'),
  sort: z.enum(sorts).default('id'),
  order: z.enum(orders).default('asc'),
  page: wholeNumberOr(1, 1, 1_000_000),
  pageSize: wholeNumberOr(50, 1, 200),
})

const ProjectAnswer = LibraryAnswer.extend({
  sourceUrl: z.string(),
  commit: z.string().describe('Commit that is served'),
  imported: z.boolean(),
  private: z.boolean(),
  generated: z.boolean().describe('Whether a language model wrote the documentation'),
  statusMessage: z
    .string()
    .optional()
    .describe('For a library without content: the progress of its first parse or import, or why that failed'),
}).meta({ id: 'Project' })

const ProjectList = z.object({ projects: z.array(ProjectAnswer), total: z.int(), page: z.int(), pageSize: z.int() })
const Message = z.object({ message: z.string() })

export const projectRoutes = (app: App) =>
  new Hono<CallerEnv>()
    .get('/projects', requireRight(app, 'read'), input('query', ListQuery), (c) => {
      const { q, sort, order, page, pageSize } = c.req.valid('query')
      const sorted = sortProjects(visibleProjects(app), sort, order)
      const found = q === undefined ? sorted : filterProjects(sorted, q)
      const projects = found.slice((page - 1) * pageSize, page * pageSize).map((each) => toProjectAnswer(app, each))
      return c.json({ projects, total: found.length, page, pageSize })
    })
    .post('/projects/:id{.+}/refresh', requireRight(app, 'refresh'), async (c) => {
      const id = readId(c.req.param('id'))
      const caller = c.get('caller')
      const queued = await hidePrivate(app, caller, id, () => enqueueRefresh(app, id, caller.holder === undefined))
      return c.json(queued, 202)
    })
    .get('/projects/:id{.+}', requireRight(app, 'read'), (c) => {
      const project = findVisible(app, readId(c.req.param('id')))
      return c.json(toProjectAnswer(app, project))
    })
    .delete('/projects/:id{.+}', requireRight(app, 'delete'), async (c) => {
      const id = readId(c.req.param('id'))
      const caller = c.get('caller')
      await hidePrivate(app, caller, id, () => remove(app, id))
      app.audit.record({ actor: actorOf(caller), action: 'library.delete', subject: printLibraryId(id) })
      return c.json({ message: `${printLibraryId(id)} is deleted.` })
    })

const idParam = z.object({
  id: z
    .string()
    .max(500)
    .meta({ pattern: libraryIdPattern.source.replace('^\\/', '^\\/?') })
    .describe('owner/repo, or owner/repo@version for one version'),
})

export const projectOperations: Operations = {
  '/projects': {
    get: {
      operationId: 'listProjects',
      tags: ['Projects'],
      summary: 'List libraries of this install',
      description:
        'Lists libraries, filtered, sorted and in pages. A page beyond the end is empty. A library without content is listed while its first parse or import is unfinished (processing) or after it failed (error).',
      requestParams: { query: ListQuery },
      responses: { 200: json(ProjectList, 'One page of libraries'), ...errors(400, 401) },
    },
  },
  '/projects/{id}': {
    get: {
      operationId: 'getProject',
      tags: ['Projects'],
      summary: 'Get one library',
      description:
        'Returns its source, the commit that is served, and its versions. While it has no content, also the progress or the failure of its first job.',
      requestParams: { path: idParam },
      responses: { 200: json(ProjectAnswer, 'The library'), ...errors(400, 401, 404) },
    },
    delete: {
      operationId: 'deleteProject',
      tags: ['Projects'],
      summary: 'Delete a library, or one version of it',
      description:
        'Deletes its content immediately. A library with an unfinished job is not deleted: cancel the job first. A library whose first parse failed is removed from the list.',
      requestParams: { path: idParam },
      responses: { 200: json(Message, 'Library deleted'), ...errors(400, 401, 403, 404, 409) },
    },
  },
  '/projects/{id}/refresh': {
    post: {
      operationId: 'refreshProject',
      tags: ['Refresh'],
      summary: 'Refresh a library with its stored settings',
      description:
        'Queues a job that fetches the repository again. The old content is served until the new content is ready. The id of a version refreshes the whole library; versions whose commit has not changed are kept. A library whose first parse failed is parsed again as it was requested.',
      requestParams: { path: idParam },
      responses: { 202: json(QueuedAnswer, 'Refresh queued'), ...errors(400, 401, 404, 409, 504) },
    },
  },
}

async function remove(app: App, id: LibraryId): Promise<void> {
  const { catalog, jobs, imports, snippets, vectors, now } = app
  const project = findVisible(app, id)
  const active = jobs.activeOf(libraryKey(id))
  if (active) {
    throw new AppError('job_active', `${project.id} has a job that is ${active.state}; cancel job ${active.id} first.`, {
      fields: { project: project.id, status: active.state },
    })
  }
  vectors.disown(libraryKey(id))
  if (id.version === undefined) jobs.dismiss(libraryKey(id))
  const removed = catalog.remove(id)
  await imports.remove(jobs.stagedOf(id.version === undefined ? libraryKey(id) : `${libraryKey(id)}@${id.version}`))
  for (const generation of removed) {
    await snippets.drop(generation)
    await vectors.forget(generation)
    catalog.forget(generation)
  }
  await sweepVectors({ catalog, jobs, vectors, now })
}

const readId = (text: string): LibraryId => parseLibraryId(text.startsWith('/') ? text : `/${text}`)

const toProjectAnswer = (app: App, project: Project): z.infer<typeof ProjectAnswer> => ({
  ...toAnswer(project),
  ...statusOf(app, project),
  sourceUrl: project.sourceUrl,
  commit: project.commit,
  imported: project.imported,
  private: project.private,
  generated: project.generated,
})

function statusOf(app: App, { id, state }: Project): { statusMessage?: string } {
  if (state !== 'processing' && state !== 'error') return {}
  const unserved = app.jobs.unserved.find(id.toLowerCase())
  return unserved ? { statusMessage: unservedText(app, unserved) } : {}
}
