import type { Snippet } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'

const cutMark = '…'

/** The start of a snippet, at most `maxTokens`. Code that is cut stays only in the content. */
export function shorten<Kind extends Snippet>(snippet: Kind, maxTokens: number): Kind {
  const content = startOf(snippet.content, Math.max(0, maxTokens * 4))
  return { ...snippet, content, code: snippet.code.filter(({ code }) => content.includes(code)), tokens: countTokens(content) }
}

/** The first whole lines of Markdown that fit, with all fences closed. */
function startOf(markdown: string, maxCharacters: number): string {
  const lines: string[] = []
  let leftCharacters = maxCharacters - cutMark.length - 1
  let open: string | undefined
  for (const line of markdown.split('\n')) {
    const next = fenceAfter(line, open)
    leftCharacters -= line.length + 1
    if (leftCharacters < (next === undefined ? 0 : next.length + 1)) break
    lines.push(line)
    open = next
  }
  if (lines.length === 0)
    lines.push(
      markdown
        .slice(0, Math.max(0, maxCharacters - 2))
        .replace(/`{3,}.*/s, '')
        .toWellFormed(),
    )
  return [...lines, ...(open === undefined ? [] : [open]), cutMark].join('\n')
}

/** The open fence after a line, if any. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open !== undefined) return line === open ? undefined : open
  return /^`{3,}/.exec(line)?.[0]
}
