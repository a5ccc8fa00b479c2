import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { LibraryId } from '../library.ts'
import { nameInAddress, siteOf } from '../schemas/confluence-site.ts'
import { shortText } from '../schemas/short-text.ts'
import { excerpt } from '../text/excerpt.ts'

/** The name of the folder of one upload. */
export const UploadName = z.string().regex(/^[0-9a-f]{16}$/)

const Address = z.string().trim().min(1).max(2_000)
const about = {
  title: shortText(200).optional(),
  description: shortText(1_000).optional(),
}

/** The address of an llms.txt. */
export const LlmstxtUrl = Address.regex(
  /\/llms(?:-full|-small)?\.txt$/i,
  'must end with /llms.txt, /llms-full.txt or /llms-small.txt',
).describe('Address of an llms.txt, llms-full.txt or llms-small.txt')

/** The address of uploaded files is `upload://<owner>/<repo>` of their library; `upload` names the stored files. */
const uploaded = { url: Address, upload: UploadName, ...about }

export const MaxPages = z.int().min(1).max(10_000)
export const MaxDepth = z.int().min(0).max(20)

export const SpaceKey = z.string().regex(/^~?[\w.:-]{1,255}$/, 'must be the key of a space, such as DOC')

/** A source that is no git repository, as it is stored with its library. */
export const OtherSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('openapi'), url: Address, ...about }),
  z.strictObject({
    kind: z.literal('website'),
    url: Address,
    ...about,
    /** Only pages below this address are read; the folder of `url` if absent. */
    baseUrl: Address.optional(),
    maxPages: MaxPages,
    maxDepth: MaxDepth,
    excludePatterns: z.array(z.string().min(1).max(255)).max(100),
  }),
  z.strictObject({ kind: z.literal('llmstxt'), url: Address, ...about, maxPages: MaxPages }),
  z.strictObject({
    kind: z.literal('confluence'),
    /** The address of the site. */
    url: Address,
    ...about,
    /** A whole space; absent for pages. */
    spaceKey: SpaceKey.optional(),
    /** Not used: the key finds the space. */
    spaceId: shortText(100).optional(),
    /** The title of the library, if it has no other. */
    spaceName: shortText(200).optional(),
    pageUrls: z.array(Address).min(1).max(100).optional(),
    /** True if the pages below `pageUrls` are read, too. */
    includeSubPages: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('openapi-upload'), ...uploaded }),
  z.strictObject({ kind: z.literal('files'), ...uploaded }),
])
export type OtherSource = z.infer<typeof OtherSource>
export type SourceOf<Kind extends OtherSource['kind']> = Extract<OtherSource, { kind: Kind }>

/** The type of a library in a bundle: `repo`, or the kind of its source. An uploaded API description is `openapi`, too. */
export const bundleType = (source: OtherSource | undefined): string =>
  source?.kind === 'openapi-upload' ? 'openapi' : (source?.kind ?? 'repo')

const maxNameChars = 80

const owners = { openapi: 'openapi', website: 'websites', llmstxt: 'llmstxt' } as const

/** The last part of an address that says nothing about what is there. */
const usualName =
  /(?<=\/)(?:index\.html?|llms(?:-full|-small)?\.txt|(?:openapi|swagger|asyncapi)\.(?:json|ya?ml))$|\.(?:json|ya?ml)$/i

/** The id of the library of a source, such as `/openapi/<name>`, with the name from the title if there is one, else from the address. */
export function sourceLibrary(source: OtherSource): LibraryId {
  const { kind, url, title } = source
  const { hostname, pathname } = new URL(url)
  if (kind === 'files' || kind === 'openapi-upload') return { owner: hostname, repo: pathname.slice(1) }
  if (kind === 'confluence')
    return {
      owner: 'confluence',
      repo: slug(title ?? source.spaceName ?? '') || slug(nameInAddress(sourceAddress(source))) || kind,
    }
  // A host may have several sources of a kind.
  const place = `${hostname}${pathname.replace(usualName, '')}`
  return { owner: owners[kind], repo: slug(title ?? '') || slug(place) || kind }
}

/** The address of a source for people, which tells it from other sources. Sites of Confluence of all kinds have spaces below `/display`. */
export function sourceAddress(source: OtherSource): string {
  if (source.kind !== 'confluence') return source.url
  const [page] = source.pageUrls ?? []
  return page ?? `${siteOf(source.url)}/display/${source.spaceKey}`
}

/** The address of uploaded files, whose library is `/<owner>/<name>`. Throws validation_error for a name without letters and digits. */
export function uploadAddress(owner: 'files' | 'openapi', name: string): string {
  const repo = slug(name)
  if (repo === '')
    throw new AppError('validation_error', `The name "${excerpt(name)}" has no Latin letter or digit. Choose another name.`)
  return `upload://${owner}/${repo}`
}

/** Lower-case letters, digits and single hyphens. */
const slug = (text: string): string =>
  (
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? []
  )
    .join('-')
    .slice(0, maxNameChars)
    .replace(/-$/, '')
