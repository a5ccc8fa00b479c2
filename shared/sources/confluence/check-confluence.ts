import { invalidField } from '../../errors.ts'
import { readConfluenceAddress, siteOf } from '../../schemas/confluence-site.ts'
import type { SourceOf } from '../other-source.ts'

/** The source with the address of its site. Throws validation_error if it names neither a space nor pages, or both, or pages of another site. */
export function checkConfluence(source: SourceOf<'confluence'>): SourceOf<'confluence'> {
  const { spaceKey, pageUrls } = source
  if (spaceKey !== undefined && pageUrls !== undefined) throw invalidField('pageUrls', 'must be absent if there is a spaceKey')
  if (spaceKey === undefined && pageUrls === undefined)
    throw invalidField('spaceKey', 'must name a space, unless there are pageUrls')
  const site = siteOf(source.url)
  for (const [i, url] of (pageUrls ?? []).entries()) {
    const address = readConfluenceAddress(url)
    if (!address?.page || address.site !== site)
      throw invalidField(`pageUrls.${i}`, `must be the address of a page of ${site}, as a browser shows it`)
  }
  return { ...source, url: site }
}
