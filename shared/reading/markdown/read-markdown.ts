import type { Piece } from '../page/build-page.ts'
import { flatten } from '../page/compose-blocks.ts'
import type { Block } from '../page/page.ts'
import { unwrapContainers } from './directives/unwrap-containers.ts'
import { joinLines, type Line } from './line.ts'
import { replaceTables } from './lines/replace-tables.ts'
import { rewriteLines } from './lines/rewrite-lines.ts'
import { rewriteTabsets } from './lines/rewrite-tabsets.ts'
import { withoutModule } from './looks-like-mdx.ts'
import type { Root } from './markdown-node.ts'
import { parseFragment, parseMarkdown } from './parse-markdown.ts'
import { type PieceWriter, pieceWriter } from './piece-writer.ts'
import { unwrapJsx } from './unwrap-jsx.ts'
import { writeHtml } from './write-html.ts'
import { type Source, writeTree } from './write-tree.ts'

/** `jsx`: braces and all tags are JSX, and words after a fence's language are its label. */
type Dialect = { parse(text: string): Root; jsx: boolean }

/** Reads lines as Markdown with HTML in it. Never throws. */
export function readMarkdown(source: Line[]): Piece[] {
  const lines = rewriteLines(rewriteTabsets(source))
  const tables = replaceTables(lines, { jsx: false, readBlocks: (cell) => inCell(readMarkdown(cell)) })
  return readFirst(versionsOf(tables, lines), { parse: parseMarkdown, jsx: false })
}

/** Reads lines as MDX, also if its JSX is broken. Never throws. */
export function readMdx(lines: Line[]): Piece[] {
  const markdown = withoutModule(lines)
  const tables = replaceTables(markdown, { jsx: true, readBlocks: (cell) => inCell(readMdx(cell)) })
  return readFirst(versionsOf(unwrapJsx(tables), unwrapJsx(markdown), markdown), { parse: parseFragment, jsx: true })
}

/** The most readable version first. */
function* versionsOf(...versions: Line[][]): Generator<Line[]> {
  for (const lines of new Set(versions)) yield* new Set([unwrapContainers(lines), lines])
}

/** Reads the first of the versions whose marks and tables are all outside code. */
function readFirst(versions: Iterable<Line[]>, dialect: Dialect): Piece[] {
  for (const lines of versions) {
    const pieces = tryRead(lines, dialect)
    if (pieces) return pieces
  }
  return []
}

/** Returns undefined if a mark or table ended up inside code. */
function tryRead(lines: Line[], { parse, jsx }: Dialect): Piece[] | undefined {
  const text = joinLines(lines)
  const root = parse(text)
  const source: Source = { text, lines, inline: { references: root.references, jsx } }
  const writer = pieceWriter({ freeWords: jsx })
  let replaced = lines.reduce((sum, { marks, blocks }) => sum + (marks || blocks ? 1 : 0), 0)
  writeTree(root, source, writer, (node) => {
    const line = node.type === 'thematicBreak' ? source.lines[node.line - 1] : undefined
    const isReplaced = line?.marks !== undefined || line?.blocks !== undefined
    if (isReplaced) replaced--
    if (line?.marks) writeMarks(line.marks, line.at, writer)
    else if (line?.blocks) for (const block of line.blocks) writer.block(block)
    else if (node.type === 'html') writeHtml(node, source, writer)
    return isReplaced || node.type === 'html'
  })
  return replaced === 0 ? writer.pieces : undefined
}

const inCell = (pieces: Piece[]): Block[] => flatten(pieces).filter((piece) => piece.kind !== 'heading')

function writeMarks(marks: NonNullable<Line['marks']>, line: number, writer: PieceWriter): void {
  for (const { name, scope } of marks) {
    if (scope) writer.open(name, scope, line)
    else writer.close(name)
  }
}
