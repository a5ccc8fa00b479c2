import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { Download } from '../download.ts'
import { conditionsOf, copyFileOf, findCopy, type PageCopies, type PageCopy, reuseCopy, saveCopy } from './page-copies.ts'
import { emptyFacts, type PageFacts } from './page-facts.ts'
import type { PoliteHosts } from './polite-host.ts'
import { scanText } from './scan-html.ts'

/** `failed`: the page may be readable at another time. */
export type WebPage = PageCopy | { skipped: string; failed?: boolean }

type Ports = { hosts: Pick<PoliteHosts, 'get'>; copies: PageCopies; limits: { pageBytes: number; pageMs: number } }

const accept = 'text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8'

/**
 * Reads a page into the folder of copies, or takes it over from an earlier crawl if it has not changed or cannot be read for the moment. Throws
 * rate_limit_exceeded and the reason of the signal.
 */
export async function readWebPage({ hosts, copies, limits }: Ports, url: string, signal: AbortSignal): Promise<WebPage> {
  const copy = await findCopy(copies.earlier, url)
  const headers = { accept, ...conditionsOf(copy) }
  try {
    const response = await hosts.get(url, { headers, maxBytes: limits.pageBytes, timeMs: limits.pageMs, signal })
    if (response.status === 304 && copy) return await reuseCopy(copies.next, url, copy)
    const page = await readResponse(response, url, copies.next)
    return 'failed' in page && page.failed && copy ? await reuseCopy(copies.next, url, copy) : page
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError) || error.code === 'rate_limit_exceeded') throw error
    const failed = error.code === 'provider_unavailable' || error.code === 'timeout'
    return failed && copy ? reuseCopy(copies.next, url, copy) : { skipped: error.message, failed }
  }
}

async function readResponse(response: Download, url: string, folder: string): Promise<WebPage> {
  const why = whyUnread(response)
  if (why) return why
  const kind = kindOf(response)
  if (!kind) return { skipped: `it is ${typeOf(response)}, not a page` }
  const file = copyFileOf(folder, url)
  const text = decodedText(response)
  const facts = kind === 'html' ? await saveHtml(text, file) : await saveText(text, file)
  const [etag, lastModified] = [response.header('etag'), response.header('last-modified')]
  const page = { url: response.url, etag, lastModified, kind, facts, file }
  await saveCopy(folder, url, page)
  return page
}

function whyUnread({ status }: Download): WebPage | undefined {
  if (status === 200) return undefined
  if (status === 404 || status === 410) return { skipped: 'it does not exist' }
  if (status === 401 || status === 403) return { skipped: `the site does not show it without a sign-in (status ${status})` }
  return { skipped: `the site responds with status ${status}`, failed: status >= 500 || status === 429 }
}

const typeOf = ({ header }: Download): string => (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

function kindOf(response: Download): PageCopy['kind'] | undefined {
  const type = typeOf(response)
  if (type === '' || type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  const isText = type === 'text/plain' && /\.(?:mdx?|markdown|txt)$/i.test(new URL(response.url).pathname)
  return isText || /^text\/(?:x-)?markdown$/.test(type) ? 'markdown' : undefined
}

async function saveHtml(text: string, file: string): Promise<PageFacts> {
  const parts: string[] = []
  const facts = await scanText(text, ({ html }) => parts.push(html))
  await writeFile(file, parts.join(''))
  return facts
}

async function saveText(text: string, file: string): Promise<PageFacts> {
  await writeFile(file, text)
  return { ...emptyFacts(), textChars: text.trim().length, textHash: hash('sha256', text) }
}

const sniffedBytes = 1_024

/** The text in the encoding that the header or the start of the page names; in UTF-8 if that is unknown. */
function decodedText({ header, body }: Download): string {
  const named = /charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i
  const start = body.toString('latin1', 0, sniffedBytes)
  const label = named.exec(header('content-type') ?? '')?.[1] ?? named.exec(start)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
