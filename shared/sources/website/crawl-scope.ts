import { withoutEnding } from '../../text/without-ending.ts'
import { matchesPath, webAddress } from './web-address.ts'

/** The pages that belong to a website: those below its base address that no pattern excludes. */
export type CrawlScope = {
  readonly base: URL
  includes(url: URL): boolean
  /** `includes`, for links that a program may have generated without end: calendars, filters, repeated folders. */
  follows(url: URL): boolean
}

const notPage =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|css|m?js|map|json|xml|rss|atom|ya?ml|csv|pdf|docx?|xlsx?|pptx?|epub|zip|t?gz|bz2|xz|7z|rar|tar|whl|jar|exe|dmg|deb|rpm|msi|apk|iso|mp[34]|m4[av]|webm|ogg|wav|mov|avi|woff2?|ttf|otf|eot|wasm)$/i
/** Sphinx links pages to their source, that of the modules, the search and the indexes. */
const copiesOfPages = /\/_(?:sources|modules)\/|\/(?:genindex(?:-\w+)?|py-modindex)(?:\.html|\/)?$|\/search\.html$/
const maxVariants = 20
const maxSegments = 20

export function crawlScope(base: URL, excludePatterns: string[]): CrawlScope {
  const variants = new Map<string, number>()
  const includes = (url: URL) =>
    url.host === base.host &&
    `${url.pathname}/`.startsWith(base.pathname) &&
    !notPage.test(url.pathname) &&
    !copiesOfPages.test(url.pathname) &&
    !excludePatterns.some((pattern) => matchesPath(pattern, url.pathname))
  return {
    base,
    includes,
    follows(url) {
      if (!includes(url) || repeatsFolders(url.pathname)) return false
      const shape = shapeOf(url)
      if (shape === undefined) return true
      const seen = variants.get(shape) ?? 0
      variants.set(shape, seen + 1)
      return seen < maxVariants
    },
  }
}

/** The address without its figures and the values of its parameters. Undefined for one that has neither. */
function shapeOf({ pathname, search, searchParams }: URL): string | undefined {
  if (search !== '') return `${pathname}?${[...searchParams.keys()].join('&')}`
  return /\d/.test(pathname) ? pathname.replace(/\d+/g, '#') : undefined
}

/** Relative links in a page that is served below any path lead ever deeper: `/a/b/a/b/a/b`. */
function repeatsFolders(path: string): boolean {
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.length > maxSegments) return true
  const counts = new Map<string, number>()
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  return [...counts.values()].some((count) => count > 2)
}

const entryFolder = /^(?:[a-z]{2}(?:[-_][a-z]{2,4})?|latest|stable|main|master|current|v?\d+(?:\.\d+)*(?:\.x)?)$/i

/**
 * The base address of a website that was named without one. `start` is the named address, `landed` the one that it led to, and `links` are those
 * of its page: a page `/docs/start` that links to `/docs/nests`, but to nothing below `/docs/start/`, is in the folder `/docs/`.
 */
export function baseAddress(start: URL, landed: URL, links: string[]): URL {
  const base = namedFolder(start, landed)
  const parent = new URL('..', base)
  if (landed.pathname.endsWith('/') || `${landed.pathname}/` !== base.pathname || parent.pathname === '/') return base
  const others = links.flatMap((link) => {
    const url = webAddress(link, landed.href)
    return url?.host === base.host && `${withoutEnding(url.pathname, '/')}/` !== base.pathname ? [url.pathname] : []
  })
  const isLinked = ({ pathname }: URL) => others.some((path) => path !== pathname && path.startsWith(pathname))
  return !isLinked(base) && isLinked(parent) ? parent : base
}

/** A site that leads from `/` to `/en/latest/` has other languages and versions next to that. */
function namedFolder(start: URL, landed: URL): URL {
  const named = folderOf(start)
  if (landed.host !== named.host || !`${landed.pathname}/`.startsWith(named.pathname)) return folderOf(landed)
  const below = landed.pathname.slice(named.pathname.length).split('/')
  const isEntry = below.length > 1 && below.slice(0, -1).every((segment) => entryFolder.test(segment))
  return isEntry ? folderOf(landed) : folderOf(new URL(named.pathname, landed))
}

/** `/docs` and `/docs/` are the folder `/docs/`; the folder of `/docs/index.html` is `/docs/`, too. */
function folderOf({ origin, pathname }: URL): URL {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (last === '') return new URL(pathname, origin)
  return new URL(/\.(?:html?|php|aspx?|mdx?)$/i.test(last) ? pathname.slice(0, -last.length) : `${pathname}/`, origin)
}

/** The address with the protocol of the base, which sitemaps and old links often have wrong. */
export function inScope(link: string, from: string, { base }: Pick<CrawlScope, 'base'>): URL | undefined {
  const url = webAddress(link, from)
  if (url && url.host === base.host) url.protocol = base.protocol
  return url
}
