import type { NamedLibrary } from '../catalog/pack-libraries.ts'
import { pathOf } from './public-libraries.ts'

/** A sitemap may have 50,000 addresses and 50 MB, and a response of a Lambda 6 MB. */
const maxAddresses = 10_000
/** The pages that are of no library. */
const ownPaths = ['/', '/terms', '/privacy', '/takedown']
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/**
 * The sitemap of the public libraries. If they are more than fit into one file, the one without a number lists the files. Undefined for a number
 * beyond the last.
 */
export function sitemap(site: string, libraries: NamedLibrary[], file: number | undefined): string | undefined {
  const files = Math.max(1, Math.ceil(libraries.length / maxAddresses))
  if (file === undefined && files > 1) return listOfFiles(site, files)
  if (file !== undefined && file > files) return undefined
  const start = ((file ?? 1) - 1) * maxAddresses
  const addresses = libraries.slice(start, start + maxAddresses).map(({ id, lastUpdateDate }) => {
    const changed = lastUpdateDate === '' ? '' : `<lastmod>${escapeXml(lastUpdateDate)}</lastmod>`
    return `<url><loc>${escapeXml(site + pathOf(id))}</loc>${changed}</url>\n`
  })
  const own = start === 0 ? ownPaths.map((path) => `<url><loc>${escapeXml(site + path)}</loc></url>\n`) : []
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${namespace}>\n${own.join('')}${addresses.join('')}</urlset>\n`
}

function listOfFiles(site: string, files: number): string {
  const each = Array.from(
    { length: files },
    (_, i) => `<sitemap><loc>${escapeXml(site)}/sitemap.xml?file=${i + 1}</loc></sitemap>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex ${namespace}>\n${each.join('')}</sitemapindex>\n`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? '')

/** Crawlers read pages, not answers. */
export const robots = (site: string): string =>
  `User-agent: *\nDisallow: /api/\nDisallow: /mcp\nDisallow: /*?q=\n\nSitemap: ${site}/sitemap.xml\n`
