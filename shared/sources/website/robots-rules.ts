import robotsParser from 'robots-parser'
import { AppError } from '../../errors.ts'
import type { PoliteHosts } from './polite-host.ts'

export type RobotsRules = {
  allows(url: URL): boolean
  /** Addresses of sitemaps. */
  sitemaps: string[]
  delayMs: number
}

/** The name that rules for this crawler use. */
const robotName = 'Carrel'
/** RFC 9309, 2.5: at least 500 KiB are read. */
const maxBytes = 500 * 1024
const maxLineChars = 1_000
const timeMs = 30_000

type Parser = (
  url: string,
  robotsTxt: string,
) => {
  isAllowed(url: string, robot: string): boolean | undefined
  getCrawlDelay(robot: string): number | undefined
  getSitemaps(): string[]
}

/** The types of the package are those of another module format. */
const parser = robotsParser as unknown as Parser

const everything: RobotsRules = { allows: () => true, sitemaps: [], delayMs: 0 }

/**
 * The rules of a host by RFC 9309: everything is allowed if there is no robots.txt. Throws provider_unavailable if the host fails to serve it,
 * since that forbids everything.
 */
export async function robotsRules(hosts: Pick<PoliteHosts, 'get'>, origin: string, signal: AbortSignal): Promise<RobotsRules> {
  const url = `${origin}/robots.txt`
  const { status, body } = await hosts.get(url, { maxBytes, cutsOff: true, timeMs, signal })
  if (status === 200) return parseRobots(url, body.toString('utf8'))
  if (status < 500 && status !== 429) return everything
  throw new AppError(
    'provider_unavailable',
    `${url} cannot be read (status ${status}), so the site may forbid to read its pages. Try again later.`,
    { retry: 'limited' },
  )
}

function parseRobots(url: string, text: string): RobotsRules {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.length <= maxLineChars)
  const robots = parser(url, lines.join('\n'))
  return {
    allows: ({ href }) => robots.isAllowed(href, robotName) ?? true,
    sitemaps: robots.getSitemaps(),
    delayMs: (robots.getCrawlDelay(robotName) ?? 0) * 1_000,
  }
}
