import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { Added, addedAnswer } from '../../shared/api/add-library.ts'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { requestIdOf } from '../../shared/http/log-requests.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { LlmstxtUrl, SpaceKey } from '../../shared/sources/other-source.ts'
import { type CallerEnv, teamspaceCaller } from '../access/caller.ts'
import { type AddConfluencePorts, addConfluence } from '../jobs/add-confluence.ts'
import { type AddUploadPorts, addUpload } from '../jobs/add-upload.ts'
import { type AddWebSourcePorts, addWebSource, type WebSource, webLimits } from '../jobs/add-web-source.ts'
import { ApiForm, readApiForm } from './read-api-form.ts'

const maxBodyBytes = 64 * 1024

const address = z.string().min(1).max(2_000)

const OpenapiRequest = z.strictObject({
  openApiUrl: address.describe('Address of an OpenAPI 3 or Swagger 2 document, JSON or YAML'),
})
const LlmstxtRequest = z.strictObject({ llmstxtUrl: LlmstxtUrl })
const WebsiteRequest = z.strictObject({
  websiteUrl: address.describe('Address of the first page'),
  websiteBaseUrl: address
    .optional()
    .describe('Only pages whose addresses begin with this are read; the folder of websiteUrl if absent'),
})

const ConfluenceRequest = z.strictObject({
  cloudId: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the id of a Cloud site')
    .describe('Id of the Cloud site, which the address of a token with scopes has'),
  siteUrl: address.describe('Address of the site, which the teamspace has stored with a token'),
  spaceKey: SpaceKey.describe('Key of the space'),
  spaceName: shortText(200).describe('Name of the space'),
  title: shortText(200).describe('Title of the library, also the name in its id'),
  description: shortText(1_000).describe('Description of the library'),
  pageIds: z
    .array(z.string().regex(/^\d{1,20}$/, 'must be the id of a page, a number'))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these pages are read; the whole space if absent'),
  projectId: address.optional().describe('Id of the teamspace of the key'),
})

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
export function addSourceRoutes(ports: AddWebSourcePorts & AddUploadPorts & AddConfluencePorts, access: MiddlewareHandler) {
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
  const add = async (c: Context<CallerEnv>, field: string, source: WebSource) => {
    const { project } = await addWebSource(ports, teamspaceCaller(c.get('caller')), source, { field, requestId: requestIdOf(c) })
    return c.json(addedAnswer(project))
  }
  return new Hono<CallerEnv>()
    .post('/v2/add/openapi', describeAdd('openapi'), access, jsonBody(maxBodyBytes), input('json', OpenapiRequest), (c) =>
      add(c, 'openApiUrl', { kind: 'openapi', url: c.req.valid('json').openApiUrl }),
    )
    .post('/v2/add/llmstxt', describeAdd('llmstxt'), access, jsonBody(maxBodyBytes), input('json', LlmstxtRequest), (c) =>
      add(c, 'llmstxtUrl', { kind: 'llmstxt', url: c.req.valid('json').llmstxtUrl, maxPages: webLimits.maxPages }),
    )
    .post('/v2/add/website', describeAdd('website'), access, jsonBody(maxBodyBytes), input('json', WebsiteRequest), (c) => {
      const { websiteUrl, websiteBaseUrl } = c.req.valid('json')
      const base = websiteBaseUrl === undefined ? {} : { baseUrl: websiteBaseUrl }
      return add(c, 'websiteUrl', { kind: 'website', url: websiteUrl, ...base, ...webLimits, excludePatterns: [] })
    })
    .post(
      '/v2/add/openapi-upload',
      describeRoute({
        operationId: 'addOpenApiUpload',
        tags: ['Add Library'],
        summary: 'Add a library from an uploaded API description',
        description:
          'Stores the file and queues a job that indexes it. The library is private to the teamspace: it needs the role admin or owner, and a paid plan. Its id is /openapi/<name>, from the title if there is one, else from the name of the file, with a suffix of the teamspace. It cannot be refreshed.',
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
