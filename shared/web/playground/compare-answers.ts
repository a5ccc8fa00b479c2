import { addressWithoutLine, fileOfAddress } from '../../text/file-of-address.ts'
import type { RankedSnippet } from './shown-answer.ts'

/** How a snippet of one answer relates to another answer. `rank` and `content` are those of the same snippet there. */
export type Relation = { kind: 'only' } | { kind: 'same' | 'moved'; rank: number; content: string; isChanged: boolean }

/**
 * Finds each snippet of an answer in another one, by the path of its page and its title, which are the same in other versions of a library.
 * Of two answers of several libraries, the library must be the same, too. The result has the order of `snippets`.
 */
export function compareAnswers(snippets: readonly RankedSnippet[], others: readonly RankedSnippet[]): Relation[] {
  const isMerged = [snippets, others].every((answer) => answer.some(({ libraryId }) => libraryId !== undefined))
  const waiting = Map.groupBy(others, (other) => identityOf(other, isMerged))
  return snippets.map((snippet) => {
    const other = waiting.get(identityOf(snippet, isMerged))?.shift()
    if (!other) return { kind: 'only' }
    const kind = other.rank === snippet.rank ? 'same' : 'moved'
    return { kind, rank: other.rank, content: other.content, isChanged: other.content !== snippet.content }
  })
}

/** `4 in both (1 moved, 1 changed), 2 only in the first, none only in the second` */
export function summaryOf(relations: readonly Relation[], others: number): string {
  const shared = relations.filter((relation) => relation.kind !== 'only')
  const details = [
    counted(shared.filter(({ kind }) => kind === 'moved').length, 'moved'),
    counted(shared.filter(({ isChanged }) => isChanged).length, 'changed'),
  ].filter((each) => each !== undefined)
  const first = relations.length - shared.length
  const second = others - shared.length
  if (details.length === 0 && first + second === 0) return 'Both answers are the same.'
  const inBoth = details.length > 0 ? `${shared.length} in both (${details.join(', ')})` : `${shared.length} in both`
  return [inBoth, counted(first, 'only in the first'), counted(second, 'only in the second')].filter(Boolean).join(', ')
}

const counted = (count: number, what: string) => (count > 0 ? `${count} ${what}` : undefined)

const identityOf = ({ source, title, libraryId }: RankedSnippet, isMerged: boolean) =>
  JSON.stringify([isMerged && libraryId, fileOfAddress(source) ?? addressWithoutLine(source), title])
