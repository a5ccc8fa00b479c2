import { mkdir, rm } from 'node:fs/promises'
import type { OpenedSource } from '../../reading/opened-source.ts'
import { pluralize } from '../../text/figures.ts'
import { visibleText } from '../../text/visible-text.ts'
import { type DownloadAccess, openDownloads } from '../download.ts'
import { isOfPublicHost } from '../is-of-public-host.ts'
import type { SourceOf } from '../other-source.ts'
import { replaceFolder } from '../replace-folder.ts'
import { wholeSource } from '../whole-source.ts'
import { crawlLimits } from './crawl-limits.ts'
import { crawlWebsite } from './crawl-website.ts'
import { pace } from './polite-host.ts'

type Job = {
  folder: string
  /** The folder that keeps the pages until the next crawl, so that unchanged ones need not be sent again. */
  copies?: string | undefined
  signal: AbortSignal
  onProgress(message: string): void
}

/** Reads the pages of a website into `folder`, which does not exist. Throws what `crawlWebsite` throws. */
export async function openWebsite(
  access: DownloadAccess,
  { url, baseUrl, maxPages, maxDepth, excludePatterns, title, description }: SourceOf<'website'>,
  { folder, copies, signal, onProgress }: Job,
): Promise<OpenedSource> {
  const downloads = await openDownloads(access, crawlLimits.pageMs)
  const next = `${folder}-copies`
  try {
    await mkdir(next)
    await mkdir(folder)
    const ports = {
      fetchPage: downloads.get,
      copies: { earlier: copies, next },
      pace,
      limits: crawlLimits,
      onProgress: (pages: number, waiting: number) =>
        onProgress(`Reading ${new URL(url).host}: ${pluralize(pages, 'page')} read, ${waiting} more found`),
    }
    const request = { websiteUrl: url, baseUrl, maxPages, maxDepth, excludePatterns }
    const crawled = await crawlWebsite(ports, request, folder, signal)
    if (copies !== undefined) await replaceFolder(copies, next)
    const about = { title: title ?? shown(crawled.title), description: description ?? shown(crawled.description) }
    const source = { url, isPublic: isOfPublicHost(url), about, skipped: crawled.skipped }
    return wholeSource(source, folder, crawled.files)
  } finally {
    downloads.close()
    await rm(next, { recursive: true, force: true })
  }
}

const maxShownChars = 300

const shown = (text: string): string | undefined => visibleText(text).slice(0, maxShownChars).trim() || undefined
