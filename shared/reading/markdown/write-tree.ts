import type { Code, Definition, Heading, Nodes, Root } from 'mdast'
import { cleanInline, type InlineOptions, plainText } from './clean-inline.ts'
import { referenceKey } from './end-of-link.ts'
import { type Line, openingFence } from './line.ts'
import { parseFragment } from './parse-markdown.ts'
import type { PieceWriter } from './piece-writer.ts'

/** A parsed text with the origin of its lines. */
export type Source = { text: string; lines: Line[]; inline: InlineOptions }

/** Writes nodes of a dialect; `visit` writes a child as part of the page. Returns true if the node was handled. */
export type ReadOther = (node: Nodes, source: Source, visit: (child: Nodes) => void) => boolean

/** Writes prose, code and headings of a tree in reading order. Prose is taken from the source, so its Markdown stays as written. */
export function writeTree(root: Root, source: Source, writer: PieceWriter, readOther: ReadOther): void {
  let bullet: number | undefined

  const visit = (node: Nodes, quotes: number, boxed: boolean): void => {
    if (node.type === 'listItem') bullet = offsetOf(node)
    if (readOther(node, source, (child) => visit(child, quotes, boxed))) bullet = undefined
    else if (node.type === 'paragraph' || isPlain(node)) {
      const text = unindent(printPlain(node, source, bullet), quotes, bullet === undefined ? columnOf(node) : 0)
      write(() => writer.prose(text, lineOf(node, source)))
    } else if (node.type === 'heading') write(() => writeHeading(node, boxed))
    else if (node.type === 'code') write(() => writeCode(node))
    else if (node.type === 'definition' && isFootnote(node))
      write(() => writer.prose(sliceOf(node, source), lineOf(node, source)))
    else if ('children' in node) {
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
    const start = node.children[0]?.position?.start.offset
    const text =
      start === undefined ? '' : plainText(source.text.slice(start, node.children.at(-1)?.position?.end.offset), source.inline)
    if (boxed) writer.prose(text && `**${text}**`, lineOf(node, source))
    else writer.heading(text, node.depth, lineOf(node, source))
  }

  /** Python-Markdown allows any indentation of a fence, so an indented block that starts with a fence is a fence. */
  const writeCode = (node: Code) => {
    const fence = /^[`~]/.test(sliceOf(node, source)) ? undefined : openingFence(node.value.slice(0, node.value.indexOf('\n')))
    if (!fence) return writer.code(node.value, infoOf(node), lineOf(node, source))
    const lines = node.value.split('\n').map((text, i) => ({ text, at: lineOf(node, source, i) }))
    writeTree(parseFragment(node.value), { ...source, text: node.value, lines }, writer, () => false)
  }

  for (const child of root.children) visit(child, 0, false)
}

/** Labels of the page's link definitions, including those in quotes and list items. */
export function referencesIn(root: Root): Set<string> {
  const found = new Set<string>()
  const pending: Nodes[] = [...root.children]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'definition' && !isFootnote(node)) found.add(referenceKey(node.label ?? node.identifier))
    else if ('children' in node && node.type !== 'paragraph' && node.type !== 'heading') pending.push(...node.children)
  }
  return found
}

export const lineOf = (node: Nodes, source: Source, offset = 0): number =>
  source.lines[(node.position?.start.line ?? 1) - 1 + offset]?.at ?? 1
export const sliceOf = (node: Nodes, source: Source): string => source.text.slice(offsetOf(node), node.position?.end.offset)

const offsetOf = (node: Nodes): number => node.position?.start.offset ?? 0
const isFootnote = (node: Definition): boolean => node.label?.startsWith('^') ?? false
const columnOf = (node: Nodes): number => (node.position?.start.column ?? 1) - 1
const infoOf = ({ lang, meta }: Code): string => [lang, meta].filter(Boolean).join(' ')

function isPlain(node: Nodes): boolean {
  if (node.type === 'paragraph') return true
  return (node.type === 'list' || node.type === 'listItem' || node.type === 'blockquote') && node.children.every(isPlain)
}

/** The source of a node with its paragraphs cleaned and the text between them (bullets, quote marks) kept. */
function printPlain(node: Nodes, source: Source, from = offsetOf(node)): string {
  let cursor = from
  let printed = ''
  const print = (each: Nodes) => {
    if (each.type !== 'paragraph') {
      if ('children' in each) for (const child of each.children) print(child)
      return
    }
    printed += source.text.slice(cursor, offsetOf(each)) + withAlert(cleanInline(sliceOf(each, source), source.inline))
    cursor = each.position?.end.offset ?? cursor
  }
  print(node)
  const trail = source.text.slice(cursor, node.position?.end.offset)
  const text = printed + trail
  return node.type === 'paragraph' ? text.replace(/\n[ \t]+/g, '\n') : text
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
