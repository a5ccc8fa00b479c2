import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { PageAddress } from '../../schemas/confluence-site.ts'
import { withoutEnding } from '../../text/without-ending.ts'
import { isHidden } from './confluence-requests.ts'

export const ContentId = z.union([z.string(), z.int().transform(String)]).pipe(z.string().regex(/^\d{1,20}$/))

export type Space = { id: string; key: string; name: string; description: string }

/** A page without its text. */
export type ListedPage = {
  id: string
  version: number
  title: string
  /** The page above it, or the folder; undefined at the top of the space. */
  parentId: string | undefined
  /** ISO 8601. */
  changedAt: string | undefined
  /** Its address for people. */
  url: string
}

export type FoundPage = ListedPage & { space: Pick<Space, 'id' | 'key'> }

/** The API of a site, which is that of Cloud or of Data Center. It shows current pages only, no drafts or archived ones. */
export type ConfluenceApi = {
  /** Undefined if the space does not exist or is not shown. */
  space(key: string): Promise<Space | undefined>
  /** The pages of a space in the order of the site, in parts. */
  pages(space: Pick<Space, 'id' | 'key'>): AsyncGenerator<ListedPage[]>
  /** Undefined if the page does not exist or is not shown. */
  find(page: PageAddress): Promise<FoundPage | undefined>
  /** A folder between pages; undefined if it is not shown. */
  folder(id: string): Promise<{ title: string; parentId: string | undefined } | undefined>
  /** The text of a page in the storage format. `isCurrent` is false for one that was archived or moved to the trash. */
  body(id: string): Promise<{ storage: string; isCurrent: boolean }>
}

/** A list of parts that leads to itself, or has more of them than any space, ends with an error. */
export function listGuard(host: string): (place: string) => void {
  const places = new Set<string>()
  return (place) => {
    if (places.has(place) || places.size >= maxParts)
      throw new AppError('provider_unavailable', `${host} does not end its list of pages. Nothing was changed.`)
    places.add(place)
  }
}

const maxParts = 2_000

/** The address of a page below that of its site. `base` is the address that the site gives itself. */
export function pageUrl(site: string, base: string | undefined, path: string | undefined, id: string): string {
  const named = base === undefined ? null : URL.parse(base)
  const isWeb = named !== null && /^https?:$/.test(named.protocol) && named.username === '' && named.password === ''
  const start = isWeb ? withoutEnding(named.href, '/') : site
  const own = path?.startsWith('/') ? URL.parse(`${start}${path}`) : null
  return (own ?? new URL(`${start}/pages/viewpage.action?pageId=${id}`)).href
}

export type QueryValues = Record<string, string | number>

export const query = (values: QueryValues): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value)])).toString()

/** Undefined for what is restricted or gone. */
export async function shown<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isHidden(error)) return undefined
    throw error
  }
}
