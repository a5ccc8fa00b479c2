import { AppError } from '../errors.ts'
import { withoutEnding } from '../text/without-ending.ts'

/** A token, with a user name for basic authentication: that of Cloud with an e-mail address, or a password of Data Center. */
export type ConfluenceCredentials = { user?: string | undefined; token: string }

/** Where a page is: its id, or the title that it has in a space. */
export type PageAddress = { id: string } | { spaceKey: string; title: string }

/** An address in Confluence: the address of the site, which has no slash at its end, and the space or page that it leads to. */
type ConfluenceAddress = { site: string; spaceKey?: string; page?: PageAddress }

/** Reads the address of a site, a space or a page, as browsers show it. Undefined if it is no address. */
export function readConfluenceAddress(text: string): ConfluenceAddress | undefined {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const marker = /\/(spaces|display|pages|x)(?=\/|$)/.exec(url.pathname)
  const path = marker ? url.pathname.slice(0, marker.index) : url.pathname.replace(/\/(?:index\.action|home)?$/, '')
  const site = `${url.origin}${withoutEnding(path, '/')}`
  const [, kind = '', ...rest] = marker ? url.pathname.slice(marker.index).split('/').map(decoded) : []
  // Confluence Cloud is below /wiki; without it, the address is that of Jira.
  const isCloud = url.hostname.endsWith('.atlassian.net')
  return { site: isCloud && path === '' ? `${site}/wiki` : site, ...placeOf(kind, rest, url.searchParams) }
}

/** Where the documentation at an address is: a whole space, or a page with those below it. */
type ConfluencePlace = { siteUrl: string } & ({ spaceKey: string } | { pageUrls: string[] })

/** The space or page that the address leads to. Undefined if it leads to neither. */
export function confluencePlace(text: string): ConfluencePlace | undefined {
  const { site: siteUrl = '', spaceKey, page } = readConfluenceAddress(text) ?? {}
  if (page) return { siteUrl, pageUrls: [text.trim()] }
  return spaceKey === undefined ? undefined : { siteUrl, spaceKey }
}

/** The address of the site. Throws validation_error. */
export function siteOf(text: string): string {
  const address = readConfluenceAddress(text)
  if (!address)
    throw new AppError('validation_error', 'The address must begin with https://, such as https://example.atlassian.net/wiki.')
  return address.site
}

/** A name for the space or page of an address, for an id. */
export function nameInAddress(text: string): string {
  const { site = '', spaceKey, page } = readConfluenceAddress(text) ?? {}
  if (page)
    return 'title' in page ? page.title : /\/pages\/\d+\/([^/?#]+)/.exec(text)?.[1]?.replaceAll('+', ' ') || `page-${page.id}`
  return spaceKey ?? new URL(site).hostname
}

function placeOf(
  kind: string,
  [first = '', second = '', ...rest]: string[],
  query: URLSearchParams,
): Omit<ConfluenceAddress, 'site'> {
  const id =
    query.get('pageId') ?? (kind === 'spaces' && second === 'pages' ? rest.find((part) => /^\d+$/.test(part)) : undefined)
  if (id !== undefined && /^\d{1,20}$/.test(id)) return { page: { id } }
  if (kind === 'x') return tinyId(first)
  const spaceKey = query.get('spaceKey') ?? query.get('key') ?? (kind === 'pages' || first.endsWith('.action') ? '' : first)
  const title = query.get('title') ?? (kind === 'display' ? second.replaceAll('+', ' ') : '')
  if (spaceKey === '') return {}
  return title === '' ? { spaceKey } : { page: { spaceKey, title } }
}

/** The id in a short link is Base64 of its bytes, the lowest first. */
function tinyId(code: string): Omit<ConfluenceAddress, 'site'> {
  if (!/^[\w-]{1,11}$/.test(code)) return {}
  const bytes = atob(code.replaceAll('-', '/').replaceAll('_', '+').padEnd(12, 'A')).slice(0, 8)
  const id = [...bytes].reduceRight((sum, byte) => sum * 256n + BigInt(byte.charCodeAt(0)), 0n)
  return id > 0n ? { page: { id: String(id) } } : {}
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
