import { z } from 'zod'
import { shortText } from '../../shared/schemas/short-text.ts'
import { LlmstxtUrl, SpaceKey } from '../../shared/sources/other-source.ts'
import { type WebSource, webLimits } from '../jobs/add-web-source.ts'

const address = z.string().min(1).max(2_000)

export const OpenapiRequest = z.strictObject({
  openApiUrl: address.describe('Address of an OpenAPI 3 or Swagger 2 document, JSON or YAML'),
})
export const LlmstxtRequest = z.strictObject({ llmstxtUrl: LlmstxtUrl })
export const WebsiteRequest = z.strictObject({
  websiteUrl: address.describe('Address of the first page'),
  websiteBaseUrl: address
    .optional()
    .describe('Only pages whose addresses begin with this are read; the folder of websiteUrl if absent'),
})

const space = {
  spaceKey: SpaceKey.describe('Key of the space'),
  title: shortText(200).describe('Title of the library, also the name in its id'),
  description: shortText(1_000).describe('Description of the library').optional(),
  pageIds: z
    .array(z.string().regex(/^\d{1,20}$/, 'must be the id of a page, a number'))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these pages are read; the whole space if absent'),
}

/** A space of the only site that a teamspace has. */
export const SpaceRequest = z.strictObject(space)

export const ConfluenceRequest = z.strictObject({
  cloudId: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the id of a Cloud site')
    .describe('Id of the Cloud site, which the address of a token with scopes has'),
  siteUrl: address.describe('Address of the site, which the teamspace has stored with a token'),
  ...space,
  spaceName: shortText(200).describe('Name of the space'),
  description: space.description.unwrap(),
  projectId: address.optional().describe('Id of the teamspace of the key'),
})

type WebRequest = z.infer<typeof OpenapiRequest> | z.infer<typeof LlmstxtRequest> | z.infer<typeof WebsiteRequest>

export function toWebSource(request: WebRequest): WebSource {
  if ('openApiUrl' in request) return { kind: 'openapi', url: request.openApiUrl }
  if ('llmstxtUrl' in request) return { kind: 'llmstxt', url: request.llmstxtUrl, maxPages: webLimits.maxPages }
  const { websiteUrl, websiteBaseUrl } = request
  const base = websiteBaseUrl === undefined ? {} : { baseUrl: websiteBaseUrl }
  return { kind: 'website', url: websiteUrl, ...base, ...webLimits, excludePatterns: [] }
}
