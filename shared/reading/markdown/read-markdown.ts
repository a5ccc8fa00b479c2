import type { Piece } from '../page/build-page.ts'
import { flatten } from '../page/compose-blocks.ts'
import type { Block } from '../page/page.ts'
import { unwrapContainers } from './directives/unwrap-containers.ts'
import { withoutMarks } from './directives/without-marks.ts'
import { replaceTables } from './lines/replace-tables.ts'
import { rewriteLines } from './lines/rewrite-lines.ts'
import { rewriteTabsets } from './lines/rewrite-tabsets.ts'
import { isWriterside, withoutModule } from './looks-like-mdx.ts'
import type { Root } from './markdown-node.ts'
import { parseFragment, parseMarkdown } from './parse-markdown.ts'
import { type PieceWriter, pieceWriter } from './piece-writer.ts'
import { joinLines, type Line } from './syntax/line.ts'
import type { Mark } from './syntax/scope.ts'
import { unwrapJsx } from './unwrap-jsx.ts'
import { writeHtml } from './write-html.ts'
import { type Source, writeTree } from './write-tree.ts'

/** `jsx`: braces and all tags are JSX, and words after a fence's language are its label. */
type Dialect = { parse(text: string): Root; jsx: boolean }

/** Reads lines as Markdown with HTML in it. Never throws. */
export function readMarkdown(source: Line[]): Piece[] {
  const rewritten = rewriteLines(rewriteTabsets(source))
  const lines = isWriterside(rewritten) ? unwrapJsx(rewritten, { expressions: false }) : rewritten
  const tables = replaceTables(lines, { jsx: false, readBlocks: (cell) => inCell(readMarkdown(cell)) })
  return readFirst([tables, lines], { parse: parseMarkdown, jsx: false })
}

/** Reads lines as MDX, also if its JSX is broken. Never throws. */
export function readMdx(lines: Line[]): Piece[] {
  const markdown = withoutModule(lines)
  const tables = replaceTables(markdown, { jsx: true, readBlocks: (cell) => inCell(readMdx(cell)) })
  return readFirst([unwrapJsx(tables), unwrapJsx(markdown)], { parse: parseFragment, jsx: true })
}

const maxAttempts = 4

/** Reads the first of the versions whose tables are all outside code. */
function readFirst(versions: Line[][], dialect: Dialect): Piece[] {
  for (const version of new Set(versions)) {
    const pieces = readMarked(version, dialect)
    if (pieces) return pieces
  }
  return []
}

/**
 * Reads lines with containers. A container with an end inside code is taken back alone, and the rest of the page is read as usual. Returns
 * undefined if a table ended up inside code.
 */
function readMarked(source: Line[], dialect: Dialect): Piece[] | undefined {
  const skipped = new Set<number>()
  let lines = source
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const { pieces, misplaced } = tryRead(unwrapContainers(lines, skipped), dialect)
    if (misplaced.length === 0) return pieces
    if (misplaced.some(({ blocks }) => blocks)) return undefined
    for (const { opener } of misplaced) if (opener !== undefined) skipped.add(opener)
    const marks = misplaced.flatMap((line) => (line.opener === undefined ? (line.marks ?? []) : []))
    if (marks.length > 0) lines = withoutMarks(lines, new Set(marks))
  }
  return tryRead(withoutMarks(lines, new Set(lines.flatMap(({ marks = [] }) => marks))), dialect).pieces
}

/** `misplaced`: lines that replace others, but ended up inside code. */
function tryRead(lines: Line[], { parse, jsx }: Dialect): { pieces: Piece[]; misplaced: Line[] } {
  const text = joinLines(lines)
  const root = parse(text)
  const source: Source = { text, lines, inline: { references: root.references, jsx } }
  const writer = pieceWriter({ freeWords: jsx })
  const misplaced = new Set(lines.filter(({ marks, blocks }) => marks || blocks))
  writeTree(root, source, writer, (node, { lines: own }) => {
    const line = node.type === 'thematicBreak' ? own[node.line - 1] : undefined
    const isReplaced = line !== undefined && misplaced.delete(line)
    if (line?.marks) writeMarks(line.marks, line.at, writer)
    else if (line?.blocks) for (const block of line.blocks) writer.block(block)
    else if (node.type === 'html') writeHtml(node, source, writer)
    return isReplaced || node.type === 'html'
  })
  return { pieces: writer.pieces, misplaced: [...misplaced] }
}

const inCell = (pieces: Piece[]): Block[] => flatten(pieces).filter((piece) => piece.kind !== 'heading')

function writeMarks(marks: Mark[], line: number, writer: PieceWriter): void {
  for (const { name, scope } of marks) {
    if (scope) writer.open(name, scope, line)
    else writer.close(name)
  }
}
