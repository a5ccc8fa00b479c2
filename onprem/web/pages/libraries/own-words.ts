import type { LibraryItem } from '../../api/library-query.ts'

/** How the API begins a sentence about a library without content, and ends it for callers that add by the API. */
const begin = /^\/\S+ (?:has no content: job \d+ could not (?:add|import) it\. |is being (?:added|imported)(?:: |, but ))/
const end = / (?:Add|Import) it again, or delete it\.$/
const address = /^https?:/

/** The reason why a library has no content, or how far its first job is, for a page that names it. */
export function ownWords({ statusMessage }: Pick<LibraryItem, 'statusMessage'>): string | undefined {
  const words = statusMessage?.replace(begin, '').replace(end, '')
  return words && (address.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1))
}
