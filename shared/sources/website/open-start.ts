import { AppError } from '../../errors.ts'
import type { CrawlLimits } from './crawl-limits.ts'
import type { PageCopies, PageCopy } from './page-copies.ts'
import type { PoliteHosts } from './polite-host.ts'
import { readWebPage } from './read-web-page.ts'
import { type RobotsRules, robotsRules } from './robots-rules.ts'
import { webAddress } from './web-address.ts'

const maxStartSteps = 5

/**
 * The first page, and the rules of the host that it leads to. Throws validation_error, access_denied, no_snippets_found, provider_unavailable,
 * rate_limit_exceeded.
 */
export async function openStart(
  { hosts, copies, limits }: { hosts: PoliteHosts; copies: PageCopies; limits: CrawlLimits },
  websiteUrl: string,
  signal: AbortSignal,
): Promise<{ start: PageCopy; robots: RobotsRules }> {
  const named = webAddress(websiteUrl, websiteUrl)
  if (!named) throw new AppError('validation_error', `${websiteUrl} is not the address of a website.`)
  let url = named
  for (let steps = 0; steps < maxStartSteps; steps += 1) {
    const robots = await robotsRules(hosts, url.origin, signal)
    if (!robots.allows(url)) throw forbidden(url)
    hosts.slowDown(url.host, robots.delayMs)
    const start = await readWebPage({ hosts, copies, limits }, url.href, signal)
    if ('skipped' in start) throw unreadable(url, start)
    const landed = new URL(start.url)
    const target = start.facts.refresh === undefined ? landed : webAddress(start.facts.refresh, start.url)
    if (target?.origin === url.origin && (start.facts.refresh === undefined || target.href === url.href)) return { start, robots }
    if (!target) break
    url = target
  }
  throw new AppError('no_snippets_found', `${websiteUrl} leads from page to page without end. Use the address of a page.`)
}

const forbidden = ({ href, host }: URL): AppError =>
  new AppError(
    'access_denied',
    `The robots.txt of ${host} forbids to read ${href}. Ask the owner of the site to allow the robot Carrel.`,
  )

const unreadable = ({ href }: URL, { skipped, failed }: { skipped: string; failed?: boolean }): AppError =>
  failed
    ? new AppError('provider_unavailable', `${href} cannot be read: ${skipped}`, { retry: 'limited' })
    : new AppError('no_snippets_found', `${href} cannot be read: ${skipped}`)
