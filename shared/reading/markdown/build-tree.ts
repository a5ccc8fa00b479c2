import type { Token } from 'markdown-it'
import type { Container, MarkdownNode } from './markdown-node.ts'

/** Turns the flat tokens of the parser into a tree whose nodes know their place in the text. */
export function buildTree(tokens: Token[], text: string): MarkdownNode[] {
  const lineStarts = startsOfLines(text)
  const root: MarkdownNode[] = []
  const open: Container[] = []
  let quotes = 0
  /** The end of the last mark of a list item or quote. */
  let mark = { line: -1, end: 0 }

  /** Index of the content of a line: after the marks of the containers that are open. */
  const contentOf = (line: number): number => {
    if (mark.line === line) return skipBlanks(text, mark.end)
    let at = skipBlanks(text, lineStarts[line] ?? 0)
    for (let i = 0; i < quotes && text[at] === '>'; i++) at = skipBlanks(text, at + 1)
    return at
  }
  const endOf = (line: number): number => {
    let end = line < lineStarts.length ? (lineStarts[line] ?? 0) - 1 : text.length
    while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--
    return end
  }
  const place = ({ map }: Token) => {
    const [from, to] = map ?? [0, 0]
    const start = contentOf(from)
    return { start, end: endOf(to), line: from + 1, column: start - (lineStarts[from] ?? 0) }
  }
  const add = (node: MarkdownNode) => {
    ;(open.at(-1)?.children ?? root).push(node)
  }
  /** Blank lines after the last child, and quote marks in them, are not part of the container. */
  const closeContainer = () => {
    const container = open.pop()
    if (container) container.end = container.children.at(-1)?.end ?? container.end
  }
  const openContainer = (type: Container['type'], token: Token, markLength: number) => {
    const placed = place(token)
    const container: Container = { type, ...placed, end: placed.start + markLength, children: [] }
    add(container)
    open.push(container)
    if (markLength > 0) mark = { line: placed.line - 1, end: placed.start + markLength }
  }

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        openContainer('list', token, 0)
        break
      case 'list_item_open':
        openContainer('listItem', token, token.info.length + 1)
        break
      case 'blockquote_open':
        openContainer('blockquote', token, 1)
        quotes++
        break
      case 'blockquote_close':
        quotes--
        closeContainer()
        break
      case 'list_item_close':
      case 'bullet_list_close':
      case 'ordered_list_close':
        closeContainer()
        break
      default: {
        const node = leafOf(token, tokens[i + 1], place)
        if (node) add(node)
      }
    }
  }
  return root
}

type Place = { start: number; end: number; line: number; column: number }

/** Separate from the loop, which V8 would compile again for each kind of node that it meets. */
function leafOf(token: Token, next: Token | undefined, place: (token: Token) => Place): MarkdownNode | undefined {
  switch (token.type) {
    case 'paragraph_open':
      return { type: 'paragraph', ...place(token) }
    case 'heading_open':
      return { type: 'heading', ...place(token), depth: Number(token.tag.slice(1)), text: next?.content ?? '' }
    case 'fence':
    case 'code_block':
      return {
        type: 'code',
        ...place(token),
        value: withoutLineEnd(token.content),
        info: token.info,
        fenced: token.type === 'fence',
      }
    case 'html_block':
      return { type: 'html', ...place(token), value: withoutLineEnd(token.content) }
    case 'reference_definition':
      return { type: 'definition', ...place(token), label: String(token.meta?.label ?? '') }
    case 'hr':
      return { type: 'thematicBreak', ...place(token) }
    default:
      return undefined
  }
}

function startsOfLines(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 10
const withoutLineEnd = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)
