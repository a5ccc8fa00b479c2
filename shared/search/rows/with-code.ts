import { countTokens } from '../../text/count-tokens.ts'
import { fence } from '../../text/fence.ts'
import { placeInPage, type SnippetRow, type SnippetStore, type StoredSnippet } from './snippet-store.ts'

/**
 * A window of a long section without code, completed with the code of the nearest window of its section. `known` are rows that are already read.
 * Undefined if its section has no code, or the row has its own.
 */
export async function withCode(
  row: SnippetRow,
  generation: string,
  rankedRows: SnippetRow[],
  snippets: Pick<SnippetStore, 'pageSnippets'>,
  isWithheld: (window: StoredSnippet) => boolean = () => false,
): Promise<SnippetRow | undefined> {
  if (row.toCode === undefined) return undefined
  const place = placeInPage(row.id) + row.toCode
  const isIt = (each: StoredSnippet): boolean =>
    each.page === row.page && each.section === row.section && placeInPage(each.id) === place
  const window =
    rankedRows.find(isIt) ?? (await snippets.pageSnippets(generation, row.page, { offset: place, limit: 1 }))?.find(isIt)
  if (!window || window.code.length === 0 || isWithheld(window)) return undefined
  const code = window.code.map((each) => fence(each.code, each.language)).join('\n\n')
  const content = row.toCode > 0 ? `${row.content}\n\n${code}` : `${code}\n\n${row.content}`
  const flag = row.flag ?? window.flag
  return { ...row, content, code: window.code, tokens: countTokens(content), ...(flag && { flag }) }
}
