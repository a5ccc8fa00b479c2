import { chunkBlocks, render, wholeTokens } from '../reading/chunk.ts'
import type { Block } from '../reading/page/page.ts'
import { type CodeEntry, proseOf, type Snippet, snippetHash } from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'

/** A snippet, or a window of one that is too long, with what of it is told in words. */
export type CutSnippet = Omit<Snippet, 'id'> & { prose: string }

/**
 * Windows of a parse can exceed their limit by labels, fences and the note of generated documentation. They must stay as they are, so that
 * an imported library answers as the parsed one does.
 */
const maxWholeTokens = wholeTokens * 1.5
/** More than fit the tokens of a unit with their fences. */
const maxWholeEntries = 200

/** A snippet of a bundle in units of the size that a parse makes: a longer one in windows, which share its address and headings. */
export function cutSnippet({ id: _, ...snippet }: Snippet): CutSnippet[] {
  const { content, code, breadcrumb } = snippet
  const hasCode = code.length > 0
  const codeTokens = code.reduce((sum, each) => sum + countTokens(each.code), 0)
  if (Math.max(countTokens(content), codeTokens) <= maxWholeTokens && code.length <= maxWholeEntries)
    return [{ ...snippet, prose: hasCode ? proseOf(snippet) : content }]
  return chunkBlocks(blocksOf(content, code)).map((blocks) => {
    const text = render(blocks)
    const prose = blocks.flatMap((each) => (each.kind === 'prose' ? [each.text] : [])).join('\n\n')
    return {
      ...snippet,
      content: text,
      // What carries no code is told in words whatever its form.
      prose: hasCode ? prose : text,
      code: hasCode ? blocks.flatMap((each) => (each.kind === 'code' ? [{ language: each.language, code: each.code }] : [])) : [],
      tokens: countTokens(text),
      hash: snippetHash({ breadcrumb, content: text }),
    }
  })
}

/** The blocks of the Markdown in its order, then the code that it does not hold. */
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
  const held = new Set(blocks.flatMap((each) => (each.kind === 'code' ? [each.code] : [])))
  const missing = code.filter((each) => !held.has(each.code))
  return [...blocks, ...missing.map((each): Block => ({ kind: 'code', ...each, line: 0 }))]
}
