import { z } from 'zod'
import type { LibraryId } from '../library.ts'
import { shortText } from '../schemas/short-text.ts'

const Address = z.string().trim().min(1).max(2_000)
const about = {
  title: shortText(200).optional(),
  description: shortText(1_000).optional(),
}

export const MaxPages = z.int().min(1).max(10_000)
export const MaxDepth = z.int().min(0).max(20)

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
])
export type OtherSource = z.infer<typeof OtherSource>
export type SourceOf<Kind extends OtherSource['kind']> = Extract<OtherSource, { kind: Kind }>

const maxNameChars = 80

const owners: Record<OtherSource['kind'], string> = { openapi: 'openapi', website: 'websites', llmstxt: 'llmstxt' }

/** The id of the library of a source, such as `/openapi/<name>`, with the name from the title if there is one, else from the address. */
export function sourceLibrary({ kind, url, title }: OtherSource): LibraryId {
  const { hostname, pathname } = new URL(url)
  // A host may have several websites.
  const place = kind === 'website' ? `${hostname}${pathname.replace(/index\.html?$/i, '')}` : hostname
  return { owner: owners[kind], repo: slug(title ?? '') || slug(place) || kind }
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
