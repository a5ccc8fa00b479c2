import { type Context as Call, type Env, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { jsonBody } from '../http/json-body.ts'
import { input } from './input.ts'
import { type ErrorStatuses, errors, json, type Operations } from './operations.ts'

const bodyBytes = 64 * 1024
const platforms = ['github', 'gitlab'] as const
type Platform = (typeof platforms)[number]

/** What clients of other services send is refused rather than dropped in silence. */
const noToken = z
  .undefined('is not taken here: tokens of git hosts are settings of the service')
  .optional()
  .meta({ override: { type: 'string', description: 'Not taken: tokens of git hosts are settings of the service' } })

const AddRequest = z.object({
  docsRepoUrl: z.string().min(1).max(500).describe('https address of the repository'),
  private: z.boolean().optional().describe('Whether its host keeps it from strangers'),
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
    .describe('Branch or tag to read from here on; for those who may configure the library'),
  gitToken: noToken,
})
const Message = z.object({ message: z.string() })
const Added = z.object({ libraryName: z.string().describe('Id of the library'), message: z.string() })

/** Each queues a parse and answers the id of its library. */
export type AddPorts = {
  add(request: z.infer<typeof AddRequest>, platform: Platform, c: Call): Promise<{ project: string }>
  refresh(request: z.infer<typeof RefreshRequest>, c: Call): Promise<{ project: string }>
}

/** `POST /v1/refresh` and `POST /v2/add/repo/…`. */
export const addRoutes = <E extends Env>(
  { add, refresh }: AddPorts,
  gates: { add: MiddlewareHandler<E>; refresh: MiddlewareHandler<E> },
) => {
  const routes = new Hono<E>().post(
    '/v1/refresh',
    gates.refresh,
    jsonBody(bodyBytes),
    input('json', RefreshRequest),
    async (c) => {
      const { project } = await refresh(c.req.valid('json'), c)
      return c.json({ message: `${project} is being refreshed; what is there answers meanwhile.` })
    },
  )
  for (const platform of platforms) {
    routes.post(`/v2/add/repo/${platform}`, gates.add, jsonBody(bodyBytes), input('json', AddRequest), async (c) => {
      const { project } = await add(c.req.valid('json'), platform, c)
      return c.json({ libraryName: project, message: `${project} is being read for the first time.` })
    })
  }
  return routes
}

/** `security` is absent if a setting can open the operations to everyone. */
type AddAnswers = {
  security?: NonNullable<NonNullable<Operations[string]['post']>['security']>
  add?: ErrorStatuses
  refresh?: ErrorStatuses
}

export const addOperations = ({ security, add = [], refresh = [] }: AddAnswers = {}): Operations => {
  const addOf = (operationId: string, host: string): Operations[string] => ({
    post: {
      operationId,
      tags: ['Add Library'],
      summary: `Add a repository from ${host}`,
      description: 'Creates the library and queues its first parse. Searches find it when the parse has finished.',
      security,
      requestBody: { required: true, content: { 'application/json': { schema: AddRequest } } },
      responses: { 200: json(Added, 'Parse queued'), ...errors(400, 401, 403, 409, 413, 504, ...add) },
    },
  })
  return {
    '/v1/refresh': {
      post: {
        operationId: 'refreshLibrary',
        tags: ['Refresh'],
        summary: 'Refresh a library',
        description:
          'Queues a parse with the settings of the last one. The old content is served until the new content is complete. A library whose first parse failed is parsed again.',
        security,
        requestBody: { required: true, content: { 'application/json': { schema: RefreshRequest } } },
        responses: { 200: json(Message, 'Refresh queued'), ...errors(400, 401, 403, 404, 409, 413, ...refresh) },
      },
    },
    '/v2/add/repo/github': addOf('addGitHubRepo', 'GitHub'),
    '/v2/add/repo/gitlab': addOf('addGitLabRepo', 'GitLab'),
  }
}
