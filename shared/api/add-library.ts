import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { jsonBody } from '../http/json-body.ts'
import type { GitSource } from '../schemas/git-host.ts'
import { LibraryIdParam } from '../schemas/library-id-param.ts'
import { RefName } from '../schemas/ref-name.ts'
import { describeRoute, json, type RouteAdditions } from './describe-route.ts'
import { input } from './input.ts'

const maxBodyBytes = 64 * 1024

/** Clients of other services send a token; it is rejected rather than silently ignored. */
const noToken = z
  .undefined('is not accepted: tokens of git hosts are settings of the service')
  .optional()
  .meta({ override: { type: 'string', description: 'Not accepted: tokens of git hosts are settings of the service' } })

/** Clients of other services send this field. */
const ignored = z.boolean().optional().describe('Accepted for compatibility and ignored')

const AddRequest = z.strictObject({
  docsRepoUrl: z.string().min(1).max(500).describe('Address of the repository, also with /tree/<branch>/<folder>, or owner/repo'),
  private: z.boolean().optional().describe('Whether the repository is private'),
  gitToken: noToken,
  skipVersionFiltering: ignored,
  generateDocs: ignored,
})
type AddRequest = z.infer<typeof AddRequest>
const RefreshRequest = z.strictObject({
  libraryName: LibraryIdParam.describe('Id of the library, as /owner/repo'),
  branch: RefName.optional().describe('Branch or tag to read from now on; only for callers that may configure the library'),
  gitToken: noToken,
})
type RefreshRequest = z.infer<typeof RefreshRequest>
const Message = z.object({ message: z.string() })
/** The answer of every operation that adds a library. */
export const Added = z.object({ libraryName: z.string().describe('Id of the library'), message: z.string() })

export const addedAnswer = (project: string): z.infer<typeof Added> => ({
  libraryName: project,
  message: `${project} is being added.`,
})

/** Each queues a parse and returns the id of its library. */
export type AddLibraryRoutesPorts = {
  add(request: AddRequest, source: GitSource, c: Context): Promise<{ project: string }>
  refresh(request: RefreshRequest, c: Context): Promise<{ project: string }>
}

type ForEach<T> = { add: T; refresh: T }

export const addLibraryRoutes = (
  { add, refresh }: AddLibraryRoutesPorts,
  access: ForEach<MiddlewareHandler>,
  own: Partial<ForEach<RouteAdditions['errors']>> = {},
) => {
  const describeAdd = (operationId: string, host: string) =>
    describeRoute({
      operationId,
      tags: ['Add Library'],
      summary: `Add a repository from ${host}`,
      description: 'Creates the library and queues a job that reads its repository. Searches find it when the job has finished.',
      responses: { 200: json(Added, 'Parse queued') },
      errors: [409, 502, 504, ...(own.add ?? [])],
    })
  const addFrom = async (source: GitSource, request: AddRequest, c: Context) => {
    const { project } = await add(request, source, c)
    return c.json(addedAnswer(project))
  }
  return new Hono()
    .post(
      '/v1/refresh',
      describeRoute({
        operationId: 'refreshLibrary',
        tags: ['Refresh'],
        summary: 'Refresh a library',
        description:
          'Queues a job that fetches the repository again, with the settings of the last one. The old content is served until the new content is complete. A library that could not be added is tried again as it was requested.',
        responses: { 200: json(Message, 'Refresh queued') },
        errors: [404, 409, ...(own.refresh ?? [])],
      }),
      access.refresh,
      jsonBody(maxBodyBytes),
      input('json', RefreshRequest),
      async (c) => {
        const { project } = await refresh(c.req.valid('json'), c)
        return c.json({ message: `${project} is being refreshed. Its old content is served until then.` })
      },
    )
    .post(
      '/v2/add/repo/github',
      describeAdd('addGitHubRepo', 'GitHub'),
      access.add,
      jsonBody(maxBodyBytes),
      input('json', AddRequest),
      (c) => addFrom('github', c.req.valid('json'), c),
    )
    .post(
      '/v2/add/repo/gitlab',
      describeAdd('addGitLabRepo', 'GitLab'),
      access.add,
      jsonBody(maxBodyBytes),
      input('json', AddRequest),
      (c) => addFrom('gitlab', c.req.valid('json'), c),
    )
    .post(
      '/v2/add/repo/bitbucket',
      describeAdd('addBitbucketRepo', 'Bitbucket'),
      access.add,
      jsonBody(maxBodyBytes),
      input('json', AddRequest),
      (c) => addFrom('bitbucket', c.req.valid('json'), c),
    )
    .post(
      '/v2/add/repo/git',
      describeAdd('addGitRepo', 'another git host, which the settings of the service name'),
      access.add,
      jsonBody(maxBodyBytes),
      input('json', AddRequest),
      (c) => addFrom('git', c.req.valid('json'), c),
    )
}
