import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Skipped } from '../../reading/discover/skipped.ts'
import { contentId, type SourceFile } from '../whole-source.ts'
import { escapeText } from './html-tags.ts'
import type { PageCopy } from './page-copies.ts'
import type { PageFacts } from './page-facts.ts'
import { pagePaths } from './page-paths.ts'
import { ownHtml, repeatedTexts } from './repeated-texts.ts'
import { sharedTexts } from './shared-texts.ts'
import { siteTitle, withoutSiteName } from './site-title.ts'
import { addressKey } from './web-address.ts'

/** The pages of a crawl that are stored, and the reasons why others are not. */
export type WebPages = {
  readonly count: number
  readonly bytes: number
  readonly failed: number
  /** Pages whose text is written by a script. */
  readonly shells: number
  store(url: URL, page: PageCopy): Promise<void>
  skip(address: string, reason: string, kind?: 'unread' | 'failed' | 'shell'): void
  /** The reason if the page is a copy of a stored one; `canonical` is the address that it gives itself. */
  whyKnown(facts: PageFacts, canonical: URL | undefined): string | undefined
  /** Writes the files, without the texts that all pages share. */
  write(dir: string): Promise<Written>
}

export type Written = { siteTitle: string; files: SourceFile[]; skipped: Skipped[] }

type Stored = { url: URL; file: string; kind: PageCopy['kind']; title: string; language: string }

const maxSkipped = 200
const copyShare = 0.8

export function webPages(): WebPages {
  const stored: Stored[] = []
  const skipped: Skipped[] = []
  const byText = new Map<string, string>()
  const byAddress = new Map<string, Set<number>>()
  const repeated = repeatedTexts()
  const counts = { bytes: 0, failed: 0, shell: 0, unread: 0 }
  return {
    get count() {
      return stored.length
    },
    get bytes() {
      return counts.bytes
    },
    get failed() {
      return counts.failed
    },
    get shells() {
      return counts.shell
    },
    async store(url, { file, kind, facts }) {
      stored.push({ url, file, kind, title: facts.title, language: facts.language })
      counts.bytes += (await stat(file)).size
      repeated.add(facts)
      byAddress.set(addressKey(url), new Set(facts.keys))
      if (facts.textHash !== '') byText.set(facts.textHash, url.href)
    },
    skip(address, reason, kind = 'unread') {
      counts[kind] += 1
      if (skipped.length < maxSkipped) skipped.push({ path: address, reason })
    },
    whyKnown(facts, canonical) {
      const same = byText.get(facts.textHash)
      if (same !== undefined) return `it has the same text as ${same}`
      const named = canonical && byAddress.get(addressKey(canonical))
      return named && sharedTexts(facts, named) >= copyShare ? `it is a copy of ${canonical.href}` : undefined
    },
    async write(dir) {
      const paths = pagePaths()
      const name = siteTitle(stored.map(({ title }) => title))
      const files: SourceFile[] = []
      for (const page of stored) {
        const path = paths(page.url, page.kind === 'html' ? 'html' : 'md')
        const file = join(dir, path)
        await mkdir(dirname(file), { recursive: true })
        if (page.kind === 'markdown') await copyFile(page.file, file)
        else await writeFile(file, wrapped(page, name, await ownHtml(page.file, repeated)))
        files.push({ path, url: page.url.href, id: contentId(await readFile(file)) })
      }
      const more = counts.failed + counts.shell + counts.unread - skipped.length
      if (more > 0) skipped.push({ path: 'other addresses', reason: `${more} more were not read` })
      return { siteTitle: name, files, skipped }
    },
  }
}

const wrapped = ({ title, language }: Stored, site: string, body: string): string =>
  `<html lang="${escapeText(language).replaceAll('"', '')}"><head><title>${escapeText(withoutSiteName(title, site))}</title></head><body>${body}</body></html>\n`
