import { Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/api/json-body.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { AppError } from '../../shared/errors.ts'
import { parseLibraryId } from '../../shared/library.ts'
import type { CallerEnv } from '../access/caller.ts'
import { mayKnow, owns } from '../access/visibility.ts'
import type { Hosted } from '../hosted.ts'
import { addLibrary, refreshLibrary } from './add-library.ts'
import { unknownLibrary } from './ask.ts'

const bodyBytes = 64 * 1024

/** What clients of other services send is refused rather than dropped in silence. */
const noToken = z
  .undefined('is not taken here: tokens of git hosts are settings of the service')
  .optional()
  .meta({ override: { type: 'string', description: 'Not taken: tokens of git hosts are settings of the service' } })

const AddRequest = z.object({
  docsRepoUrl: z.string().min(1).max(500).describe('https address of the repository'),
  private: z.boolean().optional().describe('Private repositories are added on the command line, with the token of their host'),
  gitToken: noToken,
})
const RefreshRequest = z.object({
  libraryName: z.string().min(1).max(500).describe('Id of the library, as /owner/repo'),
  branch: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe('Branch or tag to read from here on; for keys of the teamspace that owns the library'),
  gitToken: noToken,
})
const Message = z.object({ message: z.string() })
const Added = z.object({ libraryName: z.string().describe('Id of the library'), message: z.string() })

/** `POST /v1/refresh` and `POST /v2/add/repo/…`, for keys of teamspaces. */
export const addRoutes = (hosted: Hosted, gate: MiddlewareHandler<CallerEnv>) => {
  const routes = new Hono<CallerEnv>().post(
    '/v1/refresh',
    gate,
    jsonBody(bodyBytes),
    input('json', RefreshRequest),
    async (c) => {
      const { libraryName, branch } = c.req.valid('json')
      const id = parseLibraryId(libraryName)
      const record = await hosted.catalog.record(id)
      const caller = c.get('caller')
      if (!record || !mayKnow(caller, record.library)) throw unknownLibrary(id)
      if (branch !== undefined && !owns(caller, record)) throw notOwner(record.library.id)
      const { project } = await refreshLibrary(hosted, id, branch)
      return c.json({ message: `${project} is being refreshed; what is there answers meanwhile.` })
    },
  )
  for (const platform of ['github', 'gitlab'] as const) {
    routes.post(`/v2/add/repo/${platform}`, gate, jsonBody(bodyBytes), input('json', AddRequest), async (c) => {
      const { docsRepoUrl, private: isPrivate } = c.req.valid('json')
      if (isPrivate) throw new AppError('forbidden', 'A private repository is added on the command line: hosted add --private.')
      const { project } = await addLibrary(hosted, { repoUrl: docsRepoUrl, platform, isPrivate: false }, ({ library }) =>
        mayKnow(c.get('caller'), library),
      )
      return c.json({ libraryName: project, message: `${project} is being read for the first time.` })
    })
  }
  return routes
}

const notOwner = (library: string): AppError =>
  new AppError(
    'forbidden',
    `Only the teamspace that owns ${library} chooses its branch; leave the branch out to have it read again.`,
  )

const addOf = (operationId: string, host: string): Operations[string] => ({
  post: {
    operationId,
    tags: ['Add Library'],
    summary: `Add a public repository of ${host}`,
    description: 'Makes the library and queues its first parse; it answers questions once that is done.',
    security: keyNeeded,
    requestBody: { required: true, content: { 'application/json': { schema: AddRequest } } },
    responses: { 200: json(Added, 'It is being read'), ...errors(400, 401, 403, 404, 409, 413, 504) },
  },
})

export const addOperations: Operations = {
  '/v1/refresh': {
    post: {
      operationId: 'refreshLibrary',
      tags: ['Refresh'],
      summary: 'Read a library again',
      description: 'Queues a parse with the settings of the last one; the old content answers until the new is complete.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: RefreshRequest } } },
      responses: { 200: json(Message, 'It is being read'), ...errors(400, 401, 403, 404, 409, 413) },
    },
  },
  '/v2/add/repo/github': addOf('addGitHubRepo', 'GitHub'),
  '/v2/add/repo/gitlab': addOf('addGitLabRepo', 'GitLab'),
}
