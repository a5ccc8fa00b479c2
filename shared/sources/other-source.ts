import { z } from 'zod'
import type { LibraryId } from '../library.ts'
import { shortText } from '../schemas/short-text.ts'

const Address = z.string().trim().min(1).max(2_000)
const about = {
  title: shortText(200).optional(),
  description: shortText(1_000).optional(),
}

/** A source that is no git repository, as it is stored with its library. */
export const OtherSource = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('openapi'), url: Address, ...about })])
export type OtherSource = z.infer<typeof OtherSource>
export type SourceOf<Kind extends OtherSource['kind']> = Extract<OtherSource, { kind: Kind }>

const maxNameChars = 80

/** The id of the library of a source: `/openapi/<name>`, with the name from the title if there is one, else from the host. */
export function sourceLibrary({ kind, url, title }: OtherSource): LibraryId {
  const { hostname } = new URL(url)
  return { owner: kind, repo: slug(title ?? '') || slug(hostname) || kind }
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
