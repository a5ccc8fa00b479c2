import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { printLibraryId } from '../../shared/library.ts'
import { LibraryIdInPath } from '../../shared/schemas/library-id-param.ts'
import { wholeNumberOr } from '../../shared/schemas/whole-number.ts'
import { amongVisible, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { HidePrivatePorts } from '../access/hide-private.ts'
import { type DeletePorts, deleteForCaller } from '../actions/delete-library.ts'
import { refreshForCaller } from '../actions/parse-for-caller.ts'
import type { ParsePorts } from '../actions/queue-parse.ts'
import type { UndoableDeletions } from '../actions/undoable-deletions.ts'
import { InstallLibraryAnswer } from '../queries/install-library-answer.ts'
import { LibraryDetails, type LibraryDetailsPorts, libraryDetails } from '../queries/library-details.ts'
import { type ListPorts, ListQuery, listLibraries } from '../queries/list-libraries.ts'
import { QueuedAnswer } from './parse.ts'

const LibraryList = z.object({
  projects: z.array(InstallLibraryAnswer),
  total: z.int(),
  page: z.int(),
  pageSize: z.int(),
  tags: z.array(z.string()).describe('The tags of all libraries, also of those that the filters omit'),
})
const Deleted = z.object({
  message: z.string(),
  undoSeconds: z.int().optional().describe('How long the deletion can be undone. Absent if the library is deleted already'),
})
const Restored = z.object({ message: z.string() })
const DeleteQuery = z.object({
  undo: wholeNumberOr(0, 0, 600).describe('Seconds in which the deletion can be undone; 0 deletes the content immediately'),
})
const LibraryPath = z.object({ id: LibraryIdInPath.describe('owner/repo, or owner/repo@version for one version') })

type LibraryRoutesPorts = RightPorts &
  HidePrivatePorts &
  ParsePorts &
  ListPorts &
  LibraryDetailsPorts &
  DeletePorts & { deletions: UndoableDeletions }

export const libraryRoutes = (ports: LibraryRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/projects',
      describeRoute({
        operationId: 'listProjects',
        tags: ['Projects'],
        summary: 'List libraries of this install',
        description:
          'Lists libraries, filtered, sorted and in pages. A page beyond the end is empty. A library without content is listed while it is being added or imported (processing) or after that failed (error).',
        responses: { 200: json(LibraryList, 'One page of libraries') },
      }),
      requireRight(ports, 'read'),
      input('query', ListQuery),
      (c) => c.json(listLibraries(visibleTo(ports, c.get('caller')), c.req.valid('query'))),
    )
    .post(
      '/projects/:id{.+}/refresh',
      describeRoute({
        operationId: 'refreshProject',
        tags: ['Refresh'],
        summary: 'Refresh a library with its stored settings',
        description:
          'Queues a job that fetches the repository again. The old content is served until the new content is ready. The id of a version refreshes the whole library; versions whose commit has not changed are kept. A library that could not be added is tried again as it was requested.',
        responses: { 202: json(QueuedAnswer, 'Refresh queued') },
        errors: [404, 409, 502, 504],
      }),
      requireRight(ports, 'refresh'),
      input('param', LibraryPath),
      async (c) => c.json(await refreshForCaller(ports, c.get('caller'), c.req.valid('param').id), 202),
    )
    .get(
      '/projects/:id{.+}',
      describeRoute({
        operationId: 'getProject',
        tags: ['Projects'],
        summary: 'Get one library',
        description:
          'Returns its source, the commit that is served, and its versions. While it has no content, also the progress or the failure of its first job.',
        responses: { 200: json(LibraryDetails, 'The library') },
        errors: [404],
      }),
      requireRight(ports, 'read'),
      input('param', LibraryPath),
      async (c) => {
        const caller = c.get('caller')
        return c.json(await amongVisible(ports, caller, (seen) => libraryDetails(seen, caller, c.req.valid('param').id)))
      },
    )
    .delete(
      '/projects/:id{.+}',
      describeRoute({
        operationId: 'deleteProject',
        tags: ['Projects'],
        summary: 'Delete a library, or one version of it',
        description:
          'Deletes its content immediately. With undo, a library with content is hidden immediately and deleted after that many seconds, or when the server starts again; a library that is added again meanwhile is deleted before. Callers without a key or session cannot undo. A library with an unfinished job is not deleted: cancel the job first. A library that could not be added is removed from the list.',
        responses: { 200: json(Deleted, 'Library deleted') },
        errors: [404, 409],
      }),
      requireRight(ports, 'delete'),
      input('param', LibraryPath),
      input('query', DeleteQuery),
      async (c) => {
        const { id } = c.req.valid('param')
        const { undo } = c.req.valid('query')
        const isUndoable = await deleteForCaller(ports, c.get('caller'), id, undo)
        return c.json({ message: `${printLibraryId(id)} is deleted.`, ...(isUndoable && { undoSeconds: undo }) })
      },
    )
    .post(
      '/projects/:id{.+}/restore',
      describeRoute({
        operationId: 'restoreProject',
        tags: ['Projects'],
        summary: 'Undo the deletion of a library, or of one version of it',
        description:
          'Shows a library again that the same caller deleted with undo, until that time has passed. Nothing of it is lost.',
        responses: { 200: json(Restored, 'Library restored') },
        errors: [404],
      }),
      requireRight(ports, 'delete'),
      input('param', LibraryPath),
      (c) => {
        const { id } = c.req.valid('param')
        ports.deletions.undo(c.get('caller'), id)
        return c.json({ message: `${printLibraryId(id)} is back.` })
      },
    )
