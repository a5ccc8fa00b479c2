import { countOf } from '../../../../shared/web/format.ts'
import type { LibraryDetails } from '../../api/library-query.ts'

/** Names the content that a deletion loses, and how it comes back. */
export function lossOf({ totalSnippets, versions, imported }: LibraryDetails): string {
  const content = [countOf(totalSnippets, 'snippet'), ...(versions.length > 0 ? [countOf(versions.length, 'version')] : [])]
  const back = imported ? 'It was imported: only a new export brings it back.' : 'You can add the repository again.'
  return `${content.join(' and ')} are deleted, and agents no longer find this library. ${back}`
}
