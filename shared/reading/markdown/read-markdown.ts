import type { Nodes, Root } from 'mdast'
import type { Piece } from '../page/build-page.ts'
import { joinLines, type Line } from './line.ts'
import { parseLoose, parseMarkdown } from './parse-markdown.ts'
import { type PieceWriter, pieceWriter } from './piece-writer.ts'
import { type Marks, unwrapContainers } from './unwrap-containers.ts'
import { writeHtml } from './write-html.ts'
import { type ReadOther, referencesIn, type Source, writeTree } from './write-tree.ts'

/** `jsx`: braces and all tags are JSX. `freeWords`: words after a fence's language are its label. */
type Dialect = { parse(text: string): Root; jsx: boolean; freeWords: boolean }

/** Reads lines as Markdown with HTML in it. Never throws. */
export function readMarkdown(lines: Line[]): Piece[] {
  return readDialect(lines, { parse: parseMarkdown, jsx: false, freeWords: false }, readHtml)
}

/** Reads lines with broken JSX as Markdown: drops tags and accepts any indentation of their content. */
export function readLooseMdx(lines: Line[]): Piece[] {
  return readDialect(lines, { parse: parseLoose, jsx: false, freeWords: true }, readHtml)
}

/** Reads lines in a dialect, with containers unwrapped. `readOther` writes the nodes that the dialect adds to Markdown. */
export function readDialect(lines: Line[], dialect: Dialect, readOther: (writer: PieceWriter) => ReadOther): Piece[] {
  const unwrapped = unwrapContainers(lines)
  return (
    tryUnwrapped(unwrapped.lines, unwrapped.marks, dialect, readOther) ?? tryUnwrapped(lines, new Map(), dialect, readOther) ?? []
  )
}

/** Undefined if a mark ended up inside code: then nothing may be unwrapped. */
function tryUnwrapped(
  lines: Line[],
  marks: Marks,
  { parse, jsx, freeWords }: Dialect,
  readOther: (writer: PieceWriter) => ReadOther,
): Piece[] | undefined {
  const text = joinLines(lines)
  const root = parse(text)
  const source: Source = { text, lines, inline: { references: referencesIn(root), jsx } }
  const writer = pieceWriter({ freeWords })
  const other = readOther(writer)
  let seen = 0
  writeTree(root, source, writer, (node, of, visit) => {
    const marked = writeMark(node, marks, source, writer)
    if (marked) seen++
    return marked || other(node, of, visit)
  })
  return seen === marks.size ? writer.pieces : undefined
}

/** Opens or closes the container of a mark. */
function writeMark(node: Nodes, marks: Marks, source: Source, writer: PieceWriter): boolean {
  const line = node.position?.start.line ?? 0
  const mark = node.type === 'thematicBreak' ? marks.get(line) : undefined
  if (mark?.scope) writer.open(mark.name, mark.scope, source.lines[line - 1]?.at ?? 1)
  else if (mark) writer.close(mark.name)
  return mark !== undefined
}

const readHtml =
  (writer: PieceWriter): ReadOther =>
  (node, source) => {
    if (node.type === 'html') writeHtml(node, source, writer)
    return node.type === 'html'
  }
