import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Parser } from 'htmlparser2'
import type { PoliteHosts } from './polite-host.ts'

export type SitemapLimits = {
  /** Size of one sitemap, uncompressed; the rest is ignored. The protocol allows 50 MB. */
  bytes: number
  /** Time limit for one sitemap. */
  timeMs: number
  sitemaps: number
  /** Levels of indexes. */
  depth: number
  addresses: number
}

export const sitemapLimits: SitemapLimits = { bytes: 50 * 1024 * 1024, timeMs: 60_000, sitemaps: 50, depth: 3, addresses: 50_000 }

/** An address in a sitemap, and the languages of its translations. */
type SitemapEntry = { url: string; translations: Translation[] }
export type Translation = { language: string; url: string }

type Read = { entries: SitemapEntry[]; sitemaps: string[] }

/**
 * The entries of sitemaps and of those that they list, in order, until a limit is reached. Sitemaps that cannot be read are left out;
 * `isAllowed` chooses those that may be read.
 */
export async function* sitemapEntries(
  hosts: Pick<PoliteHosts, 'get'>,
  urls: string[],
  { limits, isAllowed, signal }: { limits: SitemapLimits; isAllowed(url: string): boolean; signal: AbortSignal },
): AsyncGenerator<SitemapEntry> {
  const visited = new Set<string>()
  let addresses = 0
  const queue = urls.map((url) => ({ url, depth: 1 }))
  for (const { url, depth } of queue) {
    if (visited.has(url) || visited.size >= limits.sitemaps || addresses >= limits.addresses || !isAllowed(url)) continue
    visited.add(url)
    const { bytes: maxBytes, timeMs } = limits
    const response = await hosts.get(url, { maxBytes, cutsOff: true, timeMs, signal }).catch(() => undefined)
    signal.throwIfAborted()
    if (response?.status !== 200) continue
    const read = await readSitemap(response.body, limits)
    if (depth < limits.depth) queue.push(...read.sitemaps.map((each) => ({ url: each, depth: depth + 1 })))
    yield* read.entries.slice(0, limits.addresses - addresses)
    addresses += read.entries.length
  }
}

async function readSitemap(body: Buffer, limits: SitemapLimits): Promise<Read> {
  const read: Read = { entries: [], sitemaps: [] }
  const parser = sitemapParser(read, limits)
  const decoder = new TextDecoder()
  let start: string | undefined
  let bytes = 0
  for await (const chunk of unpacked(body)) {
    bytes += chunk.length
    const text = decoder.decode(chunk, { stream: true })
    start ??= text.trimStart()
    // Sites that respond with a page to every address have no sitemap.
    if (/^<(?:!doctype )?html/i.test(start)) break
    if (start.startsWith('<')) parser.write(text)
    else addLines(read, text, limits)
    if (bytes > limits.bytes || read.entries.length >= limits.addresses) break
  }
  return read
}

/** The parts of a sitemap, which is often stored as a gzip file, whatever its name and type. A damaged one ends early. */
async function* unpacked(body: Buffer): AsyncGenerator<Uint8Array> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const parts = Readable.from(slices(body), { objectMode: false })
  const stream = isGzip ? parts.pipe(createGunzip()) : parts
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch {
    return
  } finally {
    stream.destroy()
  }
}

const partBytes = 65_536

function* slices(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += partBytes) yield body.subarray(at, at + partBytes)
}

function sitemapParser(read: Read, limits: SitemapLimits): Parser {
  let place: 'url' | 'sitemap' | undefined
  let location: string | undefined
  let translations: Translation[] = []
  return new Parser(
    {
      onopentag(name, { hreflang, href }) {
        if (name === 'url' || name === 'sitemap') place = name
        if (name === 'url') translations = []
        if (name === 'loc') location = ''
        if (name.endsWith('link') && hreflang && href && translations.length < 100)
          translations.push({ language: hreflang, url: href })
      },
      ontext(text) {
        if (location !== undefined && location.length < 2_000) location += text
      },
      onclosetag(name) {
        if (name === 'loc' && place === 'url' && location && read.entries.length < limits.addresses)
          read.entries.push({ url: location.trim(), translations })
        if (name === 'loc' && place === 'sitemap' && location && read.sitemaps.length < limits.sitemaps)
          read.sitemaps.push(location.trim())
        if (name === 'loc') location = undefined
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
}

/** A sitemap may be a text with an address per line. */
function addLines(read: Read, text: string, limits: SitemapLimits): void {
  for (const line of text.split(/\s+/))
    if (/^https?:/.test(line) && read.entries.length < limits.addresses) read.entries.push({ url: line, translations: [] })
}
