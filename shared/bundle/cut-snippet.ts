import { chunkBlocks, render, wholeTokens } from '../reading/chunk.ts'
import type { Block } from '../reading/page/page.ts'
import { type CodeEntry, type Snippet, snippetHash } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'

/**
 * Windows of a parse can exceed their limit by labels, fences and the note on generated documentation. They must not be cut again, so that an
 * imported library returns the same snippets as the parsed one.
 */
const maxWholeTokens = wholeTokens * 1.5
/** The tokens of a chunk hold fewer. */
const maxWholeEntries = 200

/** Cuts a snippet of a bundle to the size of parsed chunks. The windows of a long one share its address and headings. */
export function cutSnippet({ id: _, ...snippet }: Snippet): Omit<Snippet, 'id'>[] {
  const { content, code, breadcrumb } = snippet
  const hasCode = code.length > 0
  const codeTokens = code.reduce((sum, each) => sum + countTokens(each.code), 0)
  if (Math.max(countTokens(content), codeTokens) <= maxWholeTokens && code.length <= maxWholeEntries) return [snippet]
  return chunkBlocks(blocksOf(content, code)).map((blocks) => {
    const text = render(blocks)
    return {
      ...snippet,
      content: text,
      // A snippet without code is prose, even in fences.
      code: hasCode ? blocks.flatMap((each) => (each.kind === 'code' ? [{ language: each.language, code: each.code }] : [])) : [],
      tokens: countTokens(text),
      hash: snippetHash({ breadcrumb, content: text }),
    }
  })
}

/** The blocks of the Markdown in order, then code that the Markdown does not contain. */
function blocksOf(content: string, code: CodeEntry[]): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let open: { ticks: string; language: string } | undefined
  const close = () => {
    const text = lines.join('\n')
    if (open) blocks.push({ kind: 'code', code: text, language: open.language, line: 0 })
    else if (text.trim() !== '') blocks.push({ kind: 'prose', text: text.replace(/^\n+/, '').trimEnd(), line: 0 })
    lines = []
    open = undefined
  }
  for (const line of content.split('\n')) {
    const [, ticks, language = ''] = (open === undefined && /^(`{3,})([^`]{0,100})$/.exec(line)) || []
    if (ticks !== undefined) {
      close()
      open = { ticks, language: language.trim() }
    } else if (line === open?.ticks) close()
    else lines.push(line)
  }
  close()
  const contained = new Set(blocks.flatMap((each) => (each.kind === 'code' ? [each.code] : [])))
  const missing = code.filter((each) => !contained.has(each.code))
  return [...blocks, ...missing.map((each): Block => ({ kind: 'code', ...each, line: 0 }))]
}
