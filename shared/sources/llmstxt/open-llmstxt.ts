import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Skipped } from '../../reading/discover/skipped.ts'
import type { OpenedSource } from '../../reading/opened-source.ts'
import { countOf } from '../../text/figures.ts'
import { visibleText } from '../../text/visible-text.ts'
import { type DownloadAccess, openDownloads } from '../download.ts'
import { isOfPublicHost } from '../is-of-public-host.ts'
import type { SourceOf } from '../other-source.ts'
import { crawlLimits } from '../website/crawl-limits.ts'
import { pagePaths } from '../website/page-paths.ts'
import { type PoliteHosts, pace, politeHosts } from '../website/polite-host.ts'
import { readWebPage, type WebPage } from '../website/read-web-page.ts'
import { type RobotsRules, robotsRules } from '../website/robots-rules.ts'
import { webPages } from '../website/web-pages.ts'
import { contentId, type SourceFile, wholeSource } from '../whole-source.ts'
import { headOf, markdownAddress, namedPages } from './named-pages.ts'
import { splitFullText } from './split-full-text.ts'

const maxBytes = 50 * 2 ** 20
const timeMs = 120_000
/** So many pages without Markdown in a row show that a site has none. */
const maxMisses = 3
const batch = 8

type Run = { hosts: PoliteHosts; copies: string; signal: AbortSignal; robots: Map<string, Promise<RobotsRules>> }
type Read = { files: SourceFile[]; skipped: Skipped[] }

/** Reads an llms.txt and the pages that it names into `folder`, which does not exist. Throws no_snippets_found, and what a download throws. */
export async function openLlmstxt(
  access: DownloadAccess,
  { url, maxPages, ...own }: SourceOf<'llmstxt'>,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<OpenedSource> {
  const downloads = await openDownloads(access, crawlLimits.pageMs)
  const run: Run = { hosts: politeHosts(downloads.get, pace), copies: `${folder}-copies`, signal, robots: new Map() }
  try {
    await mkdir(run.copies)
    await mkdir(folder)
    const text = await textOf(run, url)
    const isFull = /-(?:full|small)\.txt$/i.test(new URL(url).pathname)
    const { files, skipped } = isFull
      ? await writeParts(text, url, folder)
      : await readNamed(run, text, { url, maxPages }, folder)
    const head = headOf(visibleText(text))
    const about = {
      title: own.title ?? head.title?.slice(0, 200),
      description: own.description ?? head.description?.slice(0, 1_000),
    }
    return wholeSource({ url, isPublic: isOfPublicHost(url), about, skipped }, folder, files)
  } finally {
    downloads.close()
    await rm(run.copies, { recursive: true, force: true })
  }
}

async function textOf(run: Run, url: string): Promise<string> {
  if (!(await isAllowed(run, new URL(url))))
    throw new AppError('access_denied', `The robots.txt of ${new URL(url).host} forbids to read ${url}.`)
  const { status, header, body } = await run.hosts.get(url, { maxBytes, timeMs, signal: run.signal })
  if (status !== 200)
    throw new AppError('provider_unavailable', `${new URL(url).host} responded with status ${status} to ${url}.`, {
      retry: status === 429 || status >= 500 ? 'limited' : 'never',
    })
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (/html/.test(header('content-type') ?? '') || /^\s{0,99}<(?:!doctype|html)/i.test(text))
    throw new AppError('no_snippets_found', `${url} is a web page and no llms.txt. Send the address of the text.`)
  return text
}

async function writeParts(text: string, url: string, folder: string): Promise<Read> {
  const paths = pagePaths()
  const files: SourceFile[] = []
  for (const part of splitFullText(text, new URL(url))) {
    const path = paths(part.url, 'md')
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), part.text)
    files.push({ path, url: part.url.href, id: contentId(part.text) })
  }
  return { files, skipped: [] }
}

async function readNamed(
  run: Run,
  text: string,
  { url, maxPages }: { url: string; maxPages: number },
  folder: string,
): Promise<Read> {
  const pages = webPages()
  const named = namedPages(text, url)
  const wanted = named.slice(0, maxPages)
  let misses = 0
  for (let at = 0; at < wanted.length; at += batch) {
    const some = wanted.slice(at, at + batch)
    const read = await Promise.all(some.map((address) => readNamedPage(run, address, misses < maxMisses)))
    for (const [i, { page, missed }] of read.entries()) {
      misses = missed ? misses + 1 : 0
      const address = some[i] as URL
      if ('skipped' in page) pages.skip(address.href, page.skipped, page.failed ? 'failed' : 'unread')
      else if (page.facts.textChars === 0) pages.skip(address.href, 'it has no text')
      else await pages.store(new URL(page.url), page)
    }
  }
  if (named.length > wanted.length)
    pages.skip(url, `the limit of ${countOf(maxPages, 'page')} was reached; it names ${countOf(named.length, 'page')}`)
  const { files, skipped } = await pages.write(folder)
  return { files: [...files, await writeIndex(text, url, folder)], skipped }
}

/** Prefers the Markdown of a page. `missed`: the site has none of it. */
async function readNamedPage(run: Run, url: URL, triesMarkdown: boolean): Promise<{ page: WebPage; missed: boolean }> {
  const markdown = triesMarkdown ? markdownAddress(url) : undefined
  if (markdown !== undefined) {
    const page = await read(run, new URL(markdown))
    if ('kind' in page && page.kind === 'markdown') return { page: { ...page, url: url.href }, missed: false }
  }
  return { page: await read(run, url), missed: markdown !== undefined || !triesMarkdown }
}

async function read(run: Run, url: URL): Promise<WebPage> {
  try {
    if (!(await isAllowed(run, url))) return { skipped: 'the robots.txt of its host forbids to read it' }
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof AppError) return { skipped: error.message, failed: error.code === 'provider_unavailable' }
    throw error
  }
  return readWebPage({ hosts: run.hosts, copies: { next: run.copies }, limits: crawlLimits }, url.href, run.signal)
}

async function isAllowed({ hosts, robots, signal }: Run, url: URL): Promise<boolean> {
  const rules = robots.get(url.origin) ?? robotsRules(hosts, url.origin, signal)
  robots.set(url.origin, rules)
  return (await rules).allows(url)
}

async function writeIndex(text: string, url: string, folder: string): Promise<SourceFile> {
  const path = 'llms.md'
  await writeFile(join(folder, path), text)
  return { path, url, id: contentId(text) }
}
