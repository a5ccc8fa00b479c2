import { type SitemapLimits, sitemapLimits } from './sitemap-addresses.ts'

export type CrawlLimits = {
  /** Size of one page. */
  pageBytes: number
  /** Size of the stored text of all pages. */
  siteBytes: number
  /** Time limit for one page. */
  pageMs: number
  /** After this time, no further page is requested. */
  timeMs: number
  /** Addresses that are remembered. */
  addresses: number
  sitemaps: SitemapLimits
}

const mb = 1024 * 1024

export const crawlLimits: CrawlLimits = {
  pageBytes: 10 * mb,
  siteBytes: 1024 * mb,
  pageMs: 30_000,
  timeMs: 30 * 60_000,
  addresses: 100_000,
  sitemaps: sitemapLimits,
}
