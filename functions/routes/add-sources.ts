import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { Added, addedAnswer } from '../../shared/api/add-library.ts'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { requestIdOf } from '../../shared/http/log-requests.ts'
import { type CallerEnv, teamspaceCaller } from '../access/caller.ts'
import { type AddConfluencePorts, addConfluence } from '../jobs/add-confluence.ts'
import { type AddUploadPorts, addUpload } from '../jobs/add-upload.ts'
import { type AddWebSourcePorts, addWebSource, checkWebSource, type WebSource, webLimits } from '../jobs/add-web-source.ts'
import { type StartUploadPorts, startUpload } from '../jobs/start-upload.ts'
import { ApiForm, readApiForm } from './read-api-form.ts'
import { ConfluenceRequest, LlmstxtRequest, OpenapiRequest, toWebSource, WebsiteRequest } from './source-requests.ts'

const maxBodyBytes = 64 * 1024

const UploadStart = z.strictObject({
  fileName: z.string().min(1).max(500).describe('Name of the file, which ends with .json, .yaml or .yml'),
  bytes: z.int().min(1).describe('Size of the file, at most 10 MB (10,485,760 bytes)'),
})
const UploadStarted = z
  .object({
    uploadId: z.string().describe('Goes into the form of the next request'),
    uploadUrl: z.string().describe('Takes the file by PUT, without a key'),
    expiresAt: z.iso.datetime().describe('The end of uploadUrl, after 15 minutes'),
  })
  .meta({ id: 'StartedUpload' })

const summaries = {
  openapi: ['addOpenApi', 'Add a library from an OpenAPI document', 'Queues a job that downloads and indexes the document.'],
  llmstxt: [
    'addLlmsTxt',
    'Add a library from an llms.txt',
    'Queues a job that reads the file and the pages that it names, as Markdown if the site has it.',
  ],
  website: [
    'addWebsite',
    'Add a library from a website',
    `Queues a job that reads the pages of the website within the rules of its robots.txt, at most ${webLimits.maxPages}: first those of its sitemaps, then those that links lead to.`,
  ],
} as const

/** The operations that add sources which are no repositories. */
export function addSourceRoutes(
  ports: AddWebSourcePorts & AddUploadPorts & StartUploadPorts & AddConfluencePorts,
  access: MiddlewareHandler,
) {
  const describeAdd = (kind: keyof typeof summaries) => {
    const [operationId, summary, does] = summaries[kind]
    const owner = kind === 'website' ? 'websites' : kind
    return describeRoute({
      operationId,
      tags: ['Add Library'],
      summary,
      description: `${does} Its host must be one that the service reads. Its id is /${owner}/<name>, from the address.`,
      responses: { 200: json(Added, 'Parse queued') },
      errors: [404, 409, 502, 504],
    })
  }
  const add = async (c: Context<CallerEnv>, field: string, sent: WebSource) => {
    const source = checkWebSource(sent, field, ports.sourceHosts)
    const { project } = await addWebSource(ports, teamspaceCaller(c.get('caller')), source, { field, requestId: requestIdOf(c) })
    return c.json(addedAnswer(project))
  }
  return new Hono<CallerEnv>()
    .post('/v2/add/openapi', describeAdd('openapi'), access, jsonBody(maxBodyBytes), input('json', OpenapiRequest), (c) =>
      add(c, 'openApiUrl', toWebSource(c.req.valid('json'))),
    )
    .post('/v2/add/llmstxt', describeAdd('llmstxt'), access, jsonBody(maxBodyBytes), input('json', LlmstxtRequest), (c) =>
      add(c, 'llmstxtUrl', toWebSource(c.req.valid('json'))),
    )
    .post('/v2/add/website', describeAdd('website'), access, jsonBody(maxBodyBytes), input('json', WebsiteRequest), (c) =>
      add(c, 'websiteUrl', toWebSource(c.req.valid('json'))),
    )
    .post(
      '/v2/add/openapi-upload',
      describeRoute({
        operationId: 'addOpenApiUpload',
        tags: ['Add Library'],
        summary: 'Add a library from an uploaded API description',
        description:
          'Stores the file and queues a job that indexes it. A file above 4 MB is sent before, to a link of `POST /api/v2/add/openapi-upload/start`. The library is private to the teamspace: it needs the role admin or owner, and a paid plan. Its id is /openapi/<name>, from the title if there is one, else from the name of the file, with a suffix of the teamspace. It cannot be refreshed.',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: ApiForm } } },
        responses: { 200: json(Added, 'Parse queued') },
        errors: [400, 404, 409, 413],
      }),
      access,
      async (c) => {
        const caller = teamspaceCaller(c.get('caller'))
        const { project } = await addUpload(ports, caller, () => readApiForm(c.req.raw), requestIdOf(c))
        return c.json(addedAnswer(project))
      },
    )
    .post(
      '/v2/add/openapi-upload/start',
      describeRoute({
        operationId: 'startOpenApiUpload',
        tags: ['Add Library'],
        summary: 'Start an upload of an API description',
        description:
          'For a file above 4 MB. Send exactly this many bytes to uploadUrl by PUT, then uploadId instead of the file to `POST /api/v2/add/openapi-upload`, within a day. It needs the role admin or owner, and a paid plan.',
        responses: { 200: json(UploadStarted, 'Where the file goes') },
        errors: [413],
      }),
      access,
      jsonBody(maxBodyBytes),
      input('json', UploadStart),
      async (c) => c.json(await startUpload(ports, teamspaceCaller(c.get('caller')), c.req.valid('json'))),
    )
    .post(
      '/v2/add/confluence',
      describeRoute({
        operationId: 'addConfluence',
        tags: ['Add Library'],
        summary: 'Add a library from Confluence',
        description:
          'Queues a job that reads a space, or some of its pages, with the token that the teamspace has stored for its site. The library is private to the teamspace: it needs the role admin or owner, and a paid plan. Its id is /confluence/<name>, from the title, with a suffix of the teamspace.',
        responses: { 200: json(Added, 'Parse queued') },
        errors: [404, 409],
      }),
      access,
      jsonBody(maxBodyBytes),
      input('json', ConfluenceRequest),
      async (c) => {
        const caller = teamspaceCaller(c.get('caller'))
        const { project } = await addConfluence(ports, caller, c.req.valid('json'), requestIdOf(c))
        return c.json(addedAnswer(project))
      },
    )
}
