import { type Code, type Heading, isContainer, type MarkdownNode, type Root } from './markdown-node.ts'
import { parseFragment } from './parse-markdown.ts'
import type { PieceWriter } from './piece-writer.ts'
import { cleanInline, type InlineOptions, plainText } from './syntax/clean-inline.ts'
import { type Line, openingFence } from './syntax/line.ts'

/** A parsed text with the origin of its lines. */
export type Source = { text: string; lines: Line[]; inline: InlineOptions }

/** Writes nodes of a dialect. Returns true if the node was handled. */
export type ReadOther = (node: MarkdownNode, source: Source) => boolean

/** Writes prose, code and headings of a tree in reading order. Prose is taken from the source, so its Markdown stays as written. */
export function writeTree(root: Root, source: Source, writer: PieceWriter, readOther: ReadOther): void {
  let bullet: number | undefined

  const visit = (node: MarkdownNode, quotes: number, boxed: boolean): void => {
    if (node.type === 'listItem') bullet = node.start
    if (readOther(node, source)) bullet = undefined
    else if (node.type === 'paragraph' || isPlain(node)) {
      const text = unindent(printPlain(node, source, bullet), quotes, bullet === undefined ? node.column : 0)
      write(() => writer.prose(text, lineOf(node, source)))
    } else if (node.type === 'heading') write(() => writeHeading(node, boxed))
    else if (node.type === 'code') write(() => writeCode(node))
    else if (node.type === 'definition' && node.label.startsWith('^'))
      write(() => writer.prose(sliceOf(node, source), lineOf(node, source)))
    else if (isContainer(node)) {
      const inQuotes = quotes + (node.type === 'blockquote' ? 1 : 0)
      const inBox = boxed || node.type === 'blockquote' || node.type === 'list'
      for (const child of node.children) visit(child, inQuotes, inBox)
    }
  }

  const write = (print: () => void) => {
    bullet = undefined
    print()
  }

  const writeHeading = (node: Heading, boxed: boolean) => {
    const text = plainText(node.text, source.inline)
    if (boxed) writer.prose(text && `**${text}**`, lineOf(node, source))
    else writer.heading(text, node.depth, lineOf(node, source))
  }

  /** Python-Markdown allows any indentation of a fence, so an indented block that starts with a fence is a fence. */
  const writeCode = (node: Code) => {
    const fence = node.fenced ? undefined : openingFence(node.value.slice(0, node.value.indexOf('\n')))
    if (!fence) return writer.code(node.value, node.info, lineOf(node, source))
    const lines = node.value.split('\n').map((text, i) => ({ text, at: lineOf(node, source, i) }))
    writeTree(parseFragment(node.value), { ...source, text: node.value, lines }, writer, () => false)
  }

  for (const child of root.children) visit(child, 0, false)
}

export const lineOf = (node: MarkdownNode, source: Source, offset = 0): number => source.lines[node.line - 1 + offset]?.at ?? 1
const sliceOf = ({ start, end }: MarkdownNode, source: Source): string => source.text.slice(start, end)

function isPlain(node: MarkdownNode): boolean {
  if (node.type === 'paragraph') return true
  return isContainer(node) && node.children.every(isPlain)
}

/** The source of a node with its paragraphs cleaned and the text between them (bullets, quote marks) kept. */
function printPlain(node: MarkdownNode, source: Source, from = node.start): string {
  let cursor = from
  let printed = ''
  const print = (each: MarkdownNode) => {
    if (each.type !== 'paragraph') {
      if (isContainer(each)) for (const child of each.children) print(child)
      return
    }
    printed += source.text.slice(cursor, each.start) + withAlert(cleanInline(sliceOf(each, source), source.inline))
    cursor = each.end
  }
  print(node)
  if (printed === '') return ''
  const text = printed + source.text.slice(cursor, node.end)
  return node.type === 'paragraph' ? text.replace(/\n[ \t]+/g, '\n') : text.replace(/\n(?:[ \t]*\n){2,}/g, '\n\n')
}

/** Replaces GitHub's `[!NOTE]` at the start of a quote. */
const withAlert = (text: string): string =>
  text.startsWith('[!')
    ? text.replace(
        /^\[!(\w+)\][+-]?[ \t]*(.*)/,
        (_, kind: string, title: string) => `**${title || kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase()}**`,
      )
    : text

/** Removes the quote marks around a node and the indentation of its container from its lines. */
function unindent(text: string, quotes: number, column: number): string {
  if (!text.includes('\n') || (quotes === 0 && column === 0)) return text
  const [first = '', ...rest] = text.split('\n')
  const stripped = rest.map((line) => {
    let at = line
    for (let i = 0; i < quotes; i++) at = at.replace(/^[ \t]*> ?/, '')
    const indent = at.search(/[^ \t]/)
    return at.slice(Math.min(indent < 0 ? at.length : indent, column))
  })
  return [first, ...stripped].join('\n')
}
