import { type Context, Hono } from 'hono'
import { describeRoute, json } from '../../../shared/api/describe-route.ts'
import { input } from '../../../shared/api/input.ts'
import { jsonBody } from '../../../shared/http/json-body.ts'
import { type AddConfluencePorts, addTeamSpace } from '../../jobs/add-confluence.ts'
import { requirePrivate } from '../../jobs/add-for-teamspace.ts'
import { type AddUploadPorts, addUpload } from '../../jobs/add-upload.ts'
import { type AddWebSourcePorts, addWebSource, checkWebSource } from '../../jobs/add-web-source.ts'
import { descriptionPath, privateAs } from '../../jobs/start-upload.ts'
import { FileForm, readFileForm } from '../../routes/read-api-form.ts'
import { LlmstxtRequest, OpenapiRequest, SpaceRequest, toWebSource, WebsiteRequest } from '../../routes/source-requests.ts'
import { admin, type GuardPorts, type MemberEnv, member } from '../access/guards.ts'
import type { SessionEnv } from '../access/session.ts'
import { addTeamSource, type ManageLibrariesPorts } from '../actions/manage-libraries.ts'
import { AddedLibrary } from './answers.ts'
import { maxBodyBytes } from './body-limit.ts'
import { actingMember } from './library-in-path.ts'

type Ports = GuardPorts &
  Pick<ManageLibrariesPorts, 'audit'> &
  AddWebSourcePorts &
  AddUploadPorts &
  AddConfluencePorts & {
    /** The address of the dashboard. */
    url: string
  }

const responses = { 200: json(AddedLibrary, 'It exists, and is in the list'), 202: json(AddedLibrary, 'It is being added') }
const privateResponses = { 202: responses[202] }

const describeAdd = (kind: string, what: string, from: string) =>
  describeRoute({
    operationId: `add${kind}`,
    tags: ['Libraries'],
    summary: `Add ${what}`,
    description: `Queues a job that reads ${from}. Its host must be one that the service reads. A library that exists is only added to the list.`,
    responses,
    errors: [404, 409, 429, 502, 504],
  })

/** A query may hold a token. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '')

/** Adds libraries from sources that are no repositories. */
export function sourceRoutes(ports: Ports) {
  const addAt = async (c: Context<MemberEnv>, field: string, request: Parameters<typeof toWebSource>[0]) => {
    const acting = actingMember(c)
    const source = checkWebSource(toWebSource(request), field, ports.sourceHosts)
    const repository = withoutQuery(source.url)
    const { libraryId, isNew } = await addTeamSource(ports, acting, { repository, isPrivate: false }, () =>
      addWebSource(ports, acting.caller, source, { field, requestId: acting.requestId }),
    )
    const message = isNew ? `${libraryId} is being added.` : `${libraryId} exists. It is in your list now.`
    return c.json({ libraryId, message }, isNew ? 202 : 200)
  }
  const addPrivate = async (c: Context<MemberEnv>, repository: string, add: () => Promise<{ project: string }>) => {
    const { libraryId } = await addTeamSource(ports, actingMember(c), { repository, isPrivate: true }, add)
    return c.json({ libraryId, message: `${libraryId} is being added.` }, 202)
  }
  return new Hono<SessionEnv>()
    .post(
      '/teamspaces/:team/sources/website',
      member(ports),
      describeAdd('Website', 'a website', 'the pages of the website'),
      jsonBody(maxBodyBytes),
      input('json', WebsiteRequest),
      (c) => addAt(c, 'websiteUrl', c.req.valid('json')),
    )
    .post(
      '/teamspaces/:team/sources/llmstxt',
      member(ports),
      describeAdd('LlmsTxt', 'an llms.txt', 'the file and the pages that it names'),
      jsonBody(maxBodyBytes),
      input('json', LlmstxtRequest),
      (c) => addAt(c, 'llmstxtUrl', c.req.valid('json')),
    )
    .post(
      '/teamspaces/:team/sources/openapi',
      member(ports),
      describeAdd('OpenApi', 'an OpenAPI document', 'the document'),
      jsonBody(maxBodyBytes),
      input('json', OpenapiRequest),
      (c) => addAt(c, 'openApiUrl', c.req.valid('json')),
    )
    .post(
      '/teamspaces/:team/sources/openapi-upload',
      admin(ports),
      describeRoute({
        operationId: 'addOpenApiUpload',
        tags: ['Libraries'],
        summary: 'Add an uploaded API description',
        description: 'Stores the file and queues a job that indexes it, as a private library. Requires a paid plan.',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: FileForm } } },
        responses: privateResponses,
        errors: [400, 409, 413, 429],
      }),
      async (c) => {
        const { caller, requestId } = actingMember(c)
        await requirePrivate(ports, caller, privateAs)
        const upload = await readFileForm(c.req.raw, `The API takes up to 10 MB: see ${ports.url}/help/api-hosted.`)
        const name = descriptionPath(upload.file.fileName)
        return addPrivate(c, name, () => addUpload(ports, caller, async () => upload, requestId))
      },
    )
    .post(
      '/teamspaces/:team/sources/confluence',
      admin(ports),
      describeRoute({
        operationId: 'addConfluenceSpace',
        tags: ['Libraries'],
        summary: 'Add a Confluence space',
        description:
          'Queues a job that reads a space of the saved site, or some of its pages, as a private library. Requires a paid plan.',
        responses: privateResponses,
        errors: [409, 429],
      }),
      jsonBody(maxBodyBytes),
      input('json', SpaceRequest),
      async (c) => {
        const { caller, requestId } = actingMember(c)
        const space = c.req.valid('json')
        return addPrivate(c, `Confluence ${space.spaceKey}`, () =>
          addTeamSpace(ports, caller, { ...space, spaceName: space.title }, requestId),
        )
      },
    )
}
