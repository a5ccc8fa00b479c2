import type { Snippet } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'

const cutMark = '…'

/** The start of a snippet, in so many tokens; code that is no longer whole stays in the content alone. */
export function shorten<Kind extends Snippet>(snippet: Kind, maxTokens: number): Kind {
  const content = startOf(snippet.content, Math.max(0, maxTokens * 4))
  return { ...snippet, content, code: snippet.code.filter(({ code }) => content.includes(code)), tokens: countTokens(content) }
}

/** Whole lines of Markdown as far as they fit, with no fence left open. */
function startOf(markdown: string, maxCharacters: number): string {
  const kept: string[] = []
  let room = maxCharacters - cutMark.length - 1
  let open: string | undefined
  for (const line of markdown.split('\n')) {
    const next = fenceAfter(line, open)
    room -= line.length + 1
    if (room < (next === undefined ? 0 : next.length + 1)) break
    kept.push(line)
    open = next
  }
  if (kept.length === 0)
    kept.push(
      markdown
        .slice(0, Math.max(0, maxCharacters - 2))
        .replace(/`{3,}.*/s, '')
        .toWellFormed(),
    )
  return [...kept, ...(open === undefined ? [] : [open]), cutMark].join('\n')
}

/** The fence that is open after a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open !== undefined) return line === open ? undefined : open
  return /^`{3,}/.exec(line)?.[0]
}
