import { readQuestion } from '../search/question/read-question.ts'
import type { SnippetStore } from '../search/rows/snippet-store.ts'
import type { StoredVersion } from './indexing-catalog.ts'

/** True if the served content can be searched for its first topic. It may be lost or damaged on disk. */
export async function isReadable(
  snippets: Pick<SnippetStore, 'statistics' | 'search'>,
  { generation }: StoredVersion,
): Promise<boolean> {
  try {
    const library = await snippets.statistics(generation)
    if (!library) return false
    const terms = readQuestion(library.topics[0] ?? '', library).concepts.flat()
    return (await snippets.search(generation, terms, 1)) !== undefined
  } catch {
    return false
  }
}
