import MarkdownItParser, { type Env, type MarkdownIt, type StateBlock } from 'markdown-it'
import { buildTree } from './build-tree.ts'
import type { Root } from './markdown-node.ts'
import { referenceKey } from './syntax/end-of-link.ts'

/** Deeper than any text that `prepareMarkdown` lets through. */
const maxNesting = 1000

const markdown = blockParser({ html: true, indentedCode: true })
const fragment = blockParser({ html: false, indentedCode: false })

/** Parses only blocks: prose is cleaned from its source. */
export const parseMarkdown = (text: string): Root => parse(markdown, text)
/** Parses MDX, and the text of HTML without its tags: `<` is text and indentation is layout. */
export const parseFragment = (text: string): Root => parse(fragment, text)

function parse(parser: MarkdownIt, text: string): Root {
  const env: Env = {}
  const tokens: ReturnType<MarkdownIt['parse']> = []
  parser.block.parse(text, parser, env, tokens)
  return { references: new Set(Object.keys(env.references ?? {}).map(referenceKey)), children: buildTree(tokens, text) }
}

function blockParser({ html, indentedCode }: { html: boolean; indentedCode: boolean }): MarkdownIt {
  const parser = new MarkdownItParser('commonmark', { html, maxNesting })
  parser.validateLink = () => true
  parser.normalizeLink = (target) => target
  if (!indentedCode) parser.block.ruler.at('code', unindent)
  return parser
}

/** Removes the indentation that would make a block code from the block and all lines that are indented as far. */
function unindent(state: StateBlock, startLine: number, endLine: number): boolean {
  const indent = at(state.sCount, startLine)
  if (indent - state.blkIndent < 4) return false
  const surplus = removableColumns(state, startLine, indent - state.blkIndent)
  let fence = ''
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) continue
    if (fence === '' && at(state.sCount, line) < indent) break
    unindentLine(state, line, surplus)
    const start = at(state.bMarks, line) + at(state.tShift, line)
    const [run = ''] = /^(?:`{3,}|~{3,})/.exec(state.src.slice(start, at(state.eMarks, line))) ?? []
    if (fence === '') fence = run
    else if (run.startsWith(fence)) fence = ''
  }
  return false
}

/** The columns of whole characters at the start of a line: a tab that reaches beyond `columns` stays. */
function removableColumns(state: StateBlock, line: number, columns: number): number {
  let removed = 0
  for (let chars = 0; chars < at(state.tShift, line); chars++) {
    const isTab = state.src[at(state.bMarks, line) + chars] === '\t'
    const width = isTab ? 4 - ((at(state.bsCount, line) + removed) % 4) : 1
    if (removed + width > columns) break
    removed += width
  }
  return removed
}

function unindentLine(state: StateBlock, line: number, columns: number): void {
  let removed = 0
  let chars = 0
  const column = at(state.bsCount, line)
  while (removed < columns && chars < at(state.tShift, line)) {
    removed += state.src[at(state.bMarks, line) + chars] === '\t' ? 4 - ((column + removed) % 4) : 1
    chars++
  }
  state.bMarks[line] = at(state.bMarks, line) + chars
  state.tShift[line] = at(state.tShift, line) - chars
  state.sCount[line] = at(state.sCount, line) - removed
  state.bsCount[line] = column + removed
}

const at = (numbers: number[], index: number): number => numbers[index] ?? 0
