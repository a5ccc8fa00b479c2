import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { callerSignal } from '../../shared/http/caller-signal.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { ParseRequest } from '../../shared/indexing/index-job.ts'
import type { PreviewParse } from '../../shared/indexing/preview-repository.ts'
import { patternText } from '../../shared/reading/discover/pattern-text.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { LlmstxtUrl, MaxDepth, MaxPages, SpaceKey } from '../../shared/sources/other-source.ts'
import { type VisiblePorts, visibleTo } from '../access/among-visible.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { enqueueSource } from '../actions/enqueue-source.ts'
import { parseForCaller, requireAddable } from '../actions/parse-for-caller.ts'
import type { ParsePorts } from '../actions/queue-parse.ts'
import { ActiveParse, type ActiveParsesPorts, activeParses } from '../queries/active-parses.ts'
import type { MeaningPorts } from '../queries/meaning.ts'

const maxBodyBytes = 1024 * 1024

export const QueuedAnswer = z
  .object({
    message: z.string(),
    project: z.string().describe('/owner/repo'),
    queueId: z.int().describe('Id of the job'),
    position: z.int().nullable().describe('Number of jobs ahead; null if the job starts immediately'),
  })
  .meta({ id: 'ParseQueued' })

const PreviewAnswer = z
  .object({
    private: z.boolean().describe('Whether only a stored token can read the repository'),
    title: z.string(),
    description: z.string(),
    branch: z.string().describe('Branch or tag of the default content'),
    commit: z.string(),
    files: z
      .int()
      .describe('Documents of the default content; those that are empty or included by others are left out when it is added'),
    bytes: z.int().describe('Size of these documents'),
    folders: z
      .array(z.object({ path: z.string().describe('Empty for the root'), files: z.int() }))
      .describe('Folders of the root that hold documents, most documents first'),
    languages: z
      .array(z.object({ code: z.string(), files: z.int(), isRead: z.boolean() }))
      .describe('Languages of the documentation, most documents first; languages in the request chooses those that are read'),
    versions: z.array(z.string()).describe('Tags and branches that are indexed in addition'),
    tags: z.array(z.string()).describe('Tags of the repository that name a version, the highest first; at most 20'),
    indexed: z.array(z.string()).describe('Branches and tags of the library that are in this install; empty for a new library'),
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })).describe('The first thousand'),
  })
  .meta({ id: 'ParsePreview' })

const OpenapiRequest = z.strictObject({
  openApiUrl: z.string().min(1).max(2_000).describe('Address of an OpenAPI 3 or Swagger 2 document, JSON or YAML'),
  projectTitle: shortText(200).optional().describe('Title of the library; that of the document if absent'),
  description: shortText(1_000).optional(),
  force: z.boolean().default(false).describe('Index even if the document has not changed'),
})

const WebsiteRequest = z.strictObject({
  websiteUrl: z.string().min(1).max(2_000).describe('Address of the first page; only pages below its folder are read'),
  projectTitle: shortText(200).optional().describe('Title of the library; that of the website if absent'),
  description: shortText(1_000).optional(),
  maxPages: MaxPages.default(100).describe('Largest number of pages'),
  maxDepth: MaxDepth.default(3).describe('Largest number of links from the first page to a page'),
  excludePatterns: z.array(patternText(255)).max(100).default([]).describe('Paths of pages that are not read, such as /blog/*'),
  force: z.boolean().default(false).describe('Index even if no page has changed'),
})

const LlmstxtRequest = z.strictObject({
  llmstxtUrl: LlmstxtUrl,
  projectTitle: shortText(200).optional().describe('Title of the library; that of the file if absent'),
  description: shortText(1_000).optional(),
  maxPages: MaxPages.default(100).describe('Largest number of pages that an llms.txt names'),
  force: z.boolean().default(false).describe('Index even if no page has changed'),
})

const ConfluenceRequest = z.strictObject({
  siteUrl: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe(
      'Address of the site, such as https://example.atlassian.net/wiki; that in the setting confluence.baseUrl if absent',
    ),
  spaceKey: SpaceKey.optional().describe('Key of the space that is read as a whole; required unless there are pageUrls'),
  pageUrls: z
    .array(z.string().min(1).max(2_000))
    .min(1)
    .max(100)
    .optional()
    .describe('Addresses of pages, as a browser shows them, instead of a space'),
  includeSubPages: z.boolean().default(true).describe('Also read the pages below pageUrls'),
  projectTitle: shortText(200).optional().describe('Title of the library; that of the space or of the first page if absent'),
  description: shortText(1_000).optional(),
  force: z.boolean().default(false).describe('Index even if no page has changed'),
})

const StatusAnswer = z.object({ activeParses: z.record(z.string(), ActiveParse) })

type ParseRoutesPorts = VisiblePorts & ParsePorts & ActiveParsesPorts & MeaningPorts & { previewParse: PreviewParse }

export const parseRoutes = (ports: ParseRoutesPorts) =>
  new Hono<CallerEnv>()
    .post(
      '/parse',
      describeRoute({
        operationId: 'parseRepo',
        tags: ['Parse'],
        summary: 'Add a library from a repository',
        description:
          'Queues a job that fetches, splits and indexes the repository. Without a key (if the setting permissions.anonymousParse is on) only public repositories can be added, with their default branch and settings. If the library exists, that is a refresh if permissions.anonymousRefresh is on, else 409.',
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [409, 502, 504],
      }),
      requireRight(ports, 'parse'),
      jsonBody(maxBodyBytes),
      input('json', ParseRequest),
      async (c) => c.json(await parseForCaller(ports, c.get('caller'), c.req.valid('json')), 202),
    )
    .post(
      '/parse/preview',
      describeRoute({
        operationId: 'previewParse',
        tags: ['Parse'],
        summary: 'Show what adding a repository would read',
        description:
          'Fetches the repository, lists its documents and deletes it again. Nothing is indexed or queued. The limits of size and time are lower than those of adding it.',
        responses: { 200: json(PreviewAnswer, 'What adding it would read') },
        errors: [403, 404, 409, 422, 429, 502, 504],
      }),
      requireRight(ports, 'change'),
      jsonBody(maxBodyBytes),
      input('json', ParseRequest),
      async (c) => {
        const request = c.req.valid('json')
        requireAddable(ports, c.get('caller'), request.repoUrl)
        return c.json(await ports.previewParse(request, callerSignal(c.req.raw)))
      },
    )
    .post(
      '/parse-openapi',
      describeRoute({
        operationId: 'parseOpenApi',
        tags: ['Parse'],
        summary: 'Add a library from an OpenAPI document',
        description:
          'Queues a job that downloads and indexes the document. Its host must be in the setting sources.allowedHosts. Its id is /openapi/<name>, from the title if there is one, else from the address.',
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409],
      }),
      requireRight(ports, 'parse'),
      jsonBody(maxBodyBytes),
      input('json', OpenapiRequest),
      (c) => {
        const { openApiUrl, projectTitle, description, force } = c.req.valid('json')
        const source = { kind: 'openapi' as const, url: openApiUrl, title: projectTitle, description }
        return c.json(enqueueSource(ports, c.get('caller'), source, { field: 'openApiUrl', force }), 202)
      },
    )
    .post(
      '/parse-website',
      describeRoute({
        operationId: 'parseWebsite',
        tags: ['Parse'],
        summary: 'Add a library from a website',
        description:
          'Queues a job that reads the pages of the website, first those of its sitemaps and then those that links lead to. Its host must be in the setting sources.allowedHosts. Its id is /websites/<name>, from the title if there is one, else from the address.',
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409],
      }),
      requireRight(ports, 'parse'),
      jsonBody(maxBodyBytes),
      input('json', WebsiteRequest),
      (c) => {
        const { websiteUrl, projectTitle, force, ...rest } = c.req.valid('json')
        const source = { kind: 'website' as const, url: websiteUrl, title: projectTitle, ...rest }
        return c.json(enqueueSource(ports, c.get('caller'), source, { field: 'websiteUrl', force }), 202)
      },
    )
    .post(
      '/parse-llmstxt',
      describeRoute({
        operationId: 'parseLlmsTxt',
        tags: ['Parse'],
        summary: 'Add a library from an llms.txt',
        description:
          'Queues a job that reads the file and the pages that it names, as Markdown if the site has it. Their hosts must be in the setting sources.allowedHosts. Its id is /llmstxt/<name>, from the title if there is one, else from the address.',
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409],
      }),
      requireRight(ports, 'parse'),
      jsonBody(maxBodyBytes),
      input('json', LlmstxtRequest),
      (c) => {
        const { llmstxtUrl, projectTitle, force, ...rest } = c.req.valid('json')
        const source = { kind: 'llmstxt' as const, url: llmstxtUrl, title: projectTitle, ...rest }
        return c.json(enqueueSource(ports, c.get('caller'), source, { field: 'llmstxtUrl', force }), 202)
      },
    )
    .post(
      '/parse-confluence',
      describeRoute({
        operationId: 'parseConfluence',
        tags: ['Parse'],
        summary: 'Add a library from Confluence',
        description:
          'Queues a job that reads a space, or pages with those below them, of Confluence Cloud or Data Center. The host must be in the setting sources.allowedHosts. The token in confluence.token is sent only to the address in confluence.baseUrl. Its id is /confluence/<name>, from the title if there is one, else from the key of the space or the title of the first page.',
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409],
      }),
      requireRight(ports, 'parse'),
      jsonBody(maxBodyBytes),
      input('json', ConfluenceRequest),
      (c) => {
        const { siteUrl = ports.settings.get('confluence.baseUrl') ?? '', projectTitle, force, ...rest } = c.req.valid('json')
        const source = { kind: 'confluence' as const, url: siteUrl, title: projectTitle, ...rest }
        return c.json(enqueueSource(ports, c.get('caller'), source, { field: 'siteUrl', force }), 202)
      },
    )
    .get(
      '/parse-status',
      describeRoute({
        operationId: 'getParseStatus',
        tags: ['Parse'],
        summary: 'List unfinished jobs by library',
        description:
          'Shows the progress of each library that is being added, refreshed or imported, or is queued for that, and why and when a failed attempt is repeated. Finished jobs are not listed.',
        responses: { 200: json(StatusAnswer, 'Unfinished jobs') },
      }),
      requireRight(ports, 'read'),
      (c) => c.json({ activeParses: activeParses(visibleTo(ports, c.get('caller')), c.get('caller')) }),
    )
