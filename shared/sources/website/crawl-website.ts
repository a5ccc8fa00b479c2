import { randomBytes } from 'node:crypto'
import { AppError } from '../../errors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import { countOf, limitSize } from '../../text/figures.ts'
import type { SourceFile } from '../whole-source.ts'
import { type AddressQueue, addressQueue, type QueuedAddress } from './address-queue.ts'
import type { CrawlLimits } from './crawl-limits.ts'
import { baseAddress, type CrawlScope, crawlScope, inScope } from './crawl-scope.ts'
import type { FetchPage } from './fetch-page.ts'
import { openStart } from './open-start.ts'
import type { PageCopies, PageCopy } from './page-copies.ts'
import { type Pace, type PoliteHosts, politeHosts } from './polite-host.ts'
import { readWebPage, type WebPage } from './read-web-page.ts'
import type { RobotsRules } from './robots-rules.ts'
import { isSameLanguage } from './same-language.ts'
import { isEmptyShell, isMissing } from './shared-texts.ts'
import { sitemapEntries } from './sitemap-addresses.ts'
import { addressKey, webAddress } from './web-address.ts'
import { type WebPages, webPages } from './web-pages.ts'

type CrawlRequest = {
  websiteUrl: string
  /** Only pages below this address are read; the folder of `websiteUrl` if absent. */
  baseUrl?: string | undefined
  maxPages: number
  /** The number of links from the first page to a page. */
  maxDepth: number
  /** Path patterns such as `/blog/*`. */
  excludePatterns: string[]
}

type CrawlPorts = {
  fetchPage: FetchPage
  copies: PageCopies
  pace: Pace
  limits: CrawlLimits
  onProgress(pages: number, waiting: number): void
}

/** The pages of a website as files below the folder. */
type Crawled = { title: string; description: string; files: SourceFile[]; skipped: Skipped[] }

type Crawl = CrawlPorts & {
  request: CrawlRequest
  hosts: PoliteHosts
  scope: CrawlScope
  robots: RobotsRules
  queue: AddressQueue
  pages: WebPages
  start: PageCopy
  /** Texts of the page that the site shows for an address that does not exist, if it does not respond with an error. */
  missing: ReadonlySet<number> | undefined
  signal: AbortSignal
}

/**
 * Reads the pages of a website into `dir`: first those of its sitemaps, then those that links lead to, within the limits and the rules of its
 * robots.txt. Throws no_snippets_found, access_denied, provider_unavailable, rate_limit_exceeded, and the reason of the signal.
 */
export async function crawlWebsite(ports: CrawlPorts, request: CrawlRequest, dir: string, signal: AbortSignal): Promise<Crawled> {
  const began = Date.now()
  const hosts = politeHosts(ports.fetchPage, ports.pace)
  const { start, robots } = await openStart({ ...ports, hosts }, request.websiteUrl, signal)
  const landed = new URL(start.url)
  const { websiteUrl, baseUrl } = request
  const base = baseUrl === undefined ? baseAddress(new URL(websiteUrl), landed, start.facts.links) : new URL(baseUrl)
  const scope = crawlScope(base, request.excludePatterns)
  const queue = addressQueue(Math.min(ports.limits.addresses, Math.max(5_000, request.maxPages * 50)))
  const crawl: Crawl = { ...ports, request, hosts, scope, robots, queue, pages: webPages(), start, missing: undefined, signal }
  crawl.missing = await missingPage(crawl)
  queue.mark(landed)
  await addSitemaps(crawl)
  await takePage(crawl, { url: landed, depth: 0 }, start)
  await visitQueue(crawl, began)
  return finish(crawl, dir)
}

/** Reads an address that cannot exist, since some sites respond to every address with a page. */
async function missingPage(crawl: Crawl): Promise<ReadonlySet<number> | undefined> {
  const url = new URL(`no-such-page-${randomBytes(8).toString('hex')}`, crawl.scope.base)
  const page = await readWebPage(crawl, url.href, crawl.signal)
  if ('skipped' in page || isEmptyShell(crawl.start)) return undefined
  return new Set(page.facts.keys)
}

async function addSitemaps({ hosts, scope, robots, limits, queue, start, request, signal }: Crawl): Promise<void> {
  const { base } = scope
  const usual = [new URL('/sitemap.xml', base), new URL('sitemap.xml', base)].map(({ href }) => href)
  const urls = robots.sitemaps.length > 0 ? robots.sitemaps : usual
  const isAllowed = (url: string) => {
    const address = webAddress(url, base.href)
    return address?.host === base.host && robots.allows(address)
  }
  const found: URL[] = []
  const others = new Set<string>()
  for await (const { url, translations } of sitemapEntries(hosts, urls, { limits: limits.sitemaps, isAllowed, signal })) {
    const address = inScope(url, base.href, scope)
    if (address && scope.includes(address) && robots.allows(address)) found.push(address)
    for (const each of translations) if (!isSameLanguage(each.language, start.facts.language)) others.add(each.url)
  }
  const segments = ({ pathname }: URL) => pathname.split('/').length
  // The pages near the top are the most important ones if there are more than may be read.
  for (const url of found.filter(({ href }) => !others.has(href)).sort((a, b) => segments(a) - segments(b)))
    if (request.maxDepth > 0) queue.add({ url, depth: 1 })
}

/** Visits addresses side by side, and takes the pages in the order of the queue, so that each crawl of a site finds the same ones. */
async function visitQueue(crawl: Crawl, began: number): Promise<void> {
  const { queue, pages, request, limits, pace } = crawl
  const running: { address: QueuedAddress; page: Promise<WebPage> }[] = []
  const maxVisits = request.maxPages * 3 + 100
  let visits = 0
  const mayVisit = () =>
    pages.count + running.length < request.maxPages &&
    visits < maxVisits &&
    pages.bytes < limits.siteBytes &&
    Date.now() - began < limits.timeMs
  for (;;) {
    while (running.length < pace.concurrent && mayVisit()) {
      const address = queue.next()
      if (!address) break
      visits += 1
      const page = readWebPage(crawl, address.url.href, crawl.signal)
      page.catch(() => undefined)
      running.push({ address, page })
    }
    const first = running.shift()
    if (!first) break
    await takePage(crawl, first.address, await first.page)
    crawl.onProgress(pages.count, queue.waiting)
    rejectUseless(crawl, visits)
  }
  if (queue.waiting > 0) pages.skip(crawl.scope.base.href, whyStopped(crawl, began))
}

/** Stores a page unless it says, or its text shows, that it is none of the site, and queues its links. */
async function takePage(crawl: Crawl, { url: asked, depth }: QueuedAddress, page: WebPage): Promise<void> {
  const { pages, queue, request, robots, scope, start } = crawl
  if ('skipped' in page) return pages.skip(asked.href, page.skipped, page.failed ? 'failed' : 'unread')
  const landed = inScope(page.url, asked.href, scope) ?? asked
  if (addressKey(landed) !== addressKey(asked)) {
    if (!scope.includes(landed) || !robots.allows(landed))
      return pages.skip(asked.href, `it leads to ${landed.href}, which is not read`)
    if (!queue.mark(landed)) return
  }
  const base = page.facts.base === undefined ? landed : (webAddress(page.facts.base, landed.href) ?? landed)
  const follow = (link: string, linkDepth: number, others?: ReadonlySet<string | undefined>) => {
    const url = inScope(link, base.href, scope)
    if (url && !others?.has(url.href) && linkDepth <= request.maxDepth && scope.follows(url) && robots.allows(url))
      queue.add({ url, depth: linkDepth })
  }
  if (page.facts.refresh !== undefined) return follow(page.facts.refresh, depth)
  const reason = whyNotStored(crawl, landed, page)
  if (reason === undefined) await pages.store(nameOf(crawl, landed, page), page)
  else pages.skip(landed.href, reason, isEmptyShell(page) ? 'shell' : 'unread')
  if (isMissing(page.facts, crawl.missing) && page !== start) return
  const translations = new Set(
    page.facts.translations
      .filter((each) => !isSameLanguage(each.language, start.facts.language))
      .map(({ url }) => inScope(url, base.href, scope)?.href),
  )
  for (const link of page.facts.links) follow(link, depth + 1, translations)
}

function whyNotStored({ scope, pages, missing, start }: Crawl, url: URL, page: PageCopy): string | undefined {
  const { facts } = page
  if (isEmptyShell(page)) return 'its text is written by JavaScript'
  if (facts.textChars === 0) return 'it has no text'
  if (page === start) return scope.includes(url) ? undefined : 'it is not below the base address'
  if (isMissing(facts, missing)) return 'the site shows its page for missing pages'
  if (!isSameLanguage(facts.language, start.facts.language)) return `it is a translation (${facts.language})`
  // A site that hides its first page from search engines hides all of them.
  if (facts.noIndex && !start.facts.noIndex) return 'it asks not to be indexed'
  return pages.whyKnown(facts, canonicalOf(page, url, scope))
}

const canonicalOf = ({ facts }: PageCopy, url: URL, scope: CrawlScope): URL | undefined =>
  facts.canonical === undefined ? undefined : inScope(facts.canonical, url.href, scope)

/** The address that a page gives itself, unless that is one of another page. */
function nameOf({ queue, scope }: Crawl, url: URL, page: PageCopy): URL {
  const canonical = canonicalOf(page, url, scope)
  return canonical && scope.includes(canonical) && queue.mark(canonical) ? canonical : url
}

/** Throws if the site shows nothing but empty pages, or fails to serve most of its pages. */
function rejectUseless({ pages, request }: Crawl, visits: number): void {
  if (pages.count === 0 && pages.shells >= enoughShells) throw needsScript(request.websiteUrl)
  if (pages.failed >= enoughFailures && pages.failed * 2 > visits)
    throw new AppError(
      'provider_unavailable',
      `${request.websiteUrl} fails to serve most of its pages. Refresh the library later.`,
      {
        retry: 'limited',
      },
    )
}

const enoughShells = 5
const enoughFailures = 10

async function finish({ pages, request, start }: Crawl, dir: string): Promise<Crawled> {
  if (pages.count === 0 && pages.shells > 0) throw needsScript(request.websiteUrl)
  if (pages.count === 0) throw new AppError('no_snippets_found', `No page of ${request.websiteUrl} has text that can be read.`)
  const { siteTitle, ...written } = await pages.write(dir)
  const { siteName, title, description } = start.facts
  return { ...written, title: siteName || siteTitle || title, description }
}

function whyStopped({ limits, pages, queue, request }: Crawl, began: number): string {
  const rest = `${countOf(queue.waiting, 'more address', 'more addresses')} were found`
  if (pages.count >= request.maxPages) return `the limit of ${countOf(request.maxPages, 'page')} was reached; ${rest}`
  if (Date.now() - began >= limits.timeMs) return `the time limit of ${limits.timeMs / 60_000} minutes was reached; ${rest}`
  if (pages.bytes >= limits.siteBytes) return `the limit of ${limitSize(limits.siteBytes)} was reached; ${rest}`
  return `most addresses led to no new page; ${rest}`
}

const needsScript = (url: string): AppError =>
  new AppError(
    'no_snippets_found',
    `The pages of ${url} have no text until a browser runs their JavaScript, which is not done here. Add the repository of the documentation, or an address whose pages have text.`,
  )
