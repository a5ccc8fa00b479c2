import type { Table as ArrowTable } from 'apache-arrow'
import type { SnippetRow, StoredSnippet } from '../search/rows/snippet-store.ts'
import { type CodeEntry, shortCode } from '../snippet.ts'

const stored = [
  'id',
  'breadcrumb',
  'content',
  'code',
  'path',
  'url',
  'topic',
  'tokens',
  'hash',
  'page',
  'section',
] satisfies (keyof StoredSnippet)[]
const ranked = [...stored, 'terms', 'lengths'] satisfies (keyof SnippetRow)[]
/** Almost all rows have shorter code. */
const maxCheckedCharacters = 4096

/** Formats 1 and 2 have a column per field. */
export const separateColumns = { stored, ranked, embedded: [...ranked, 'vector'], isPacked: false }

/** Reads column by column, which saves half a millisecond per question. */
export function separateSnippets(answer: ArrowTable): StoredSnippet[] {
  const [id, breadcrumb, content] = [column(answer, 'id'), column(answer, 'breadcrumb'), column(answer, 'content')]
  const [code, path, url] = [column(answer, 'code'), column(answer, 'path'), column(answer, 'url')]
  const [topic, tokens, hash] = [column(answer, 'topic'), column(answer, 'tokens'), column(answer, 'hash')]
  const [page, section] = [column(answer, 'page'), column(answer, 'section')]
  return Array.from({ length: answer.numRows }, (_, i) => ({
    id: id(i),
    breadcrumb: [...breadcrumb(i)],
    content: content(i),
    code: codeOf(code(i)),
    path: path(i),
    url: url(i),
    topic: topic(i),
    tokens: tokens(i),
    hash: hash(i),
    page: page(i),
    section: section(i),
  }))
}

/** Imports of earlier versions stored code without code, and languages of thousands of characters. */
function codeOf(text: string): CodeEntry[] {
  const code: CodeEntry[] = JSON.parse(text)
  return text.length > maxCheckedCharacters ? shortCode(code) : code
}

export function separateRows(answer: ArrowTable): SnippetRow[] {
  const [terms, lengths] = [column(answer, 'terms'), column(answer, 'lengths')]
  return separateSnippets(answer).map((snippet, i) => ({ ...snippet, terms: terms(i), lengths: [...lengths(i)] }))
}

function column(answer: ArrowTable, name: keyof SnippetRow) {
  const vector = answer.getChild(name)
  return (i: number) => vector?.get(i)
}
