import type { Piece } from '../page/build-page.ts'
import { unwrapContainers } from './directives/unwrap-containers.ts'
import { joinLines, type Line } from './line.ts'
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
  return readFirst([unwrapContainers(lines), lines], { parse: parseMarkdown, jsx: false })
}

/** Reads lines as MDX, also if its JSX is broken. Never throws. */
export function readMdx(lines: Line[]): Piece[] {
  const markdown = withoutModule(lines)
  const unwrapped = unwrapJsx(markdown)
  return readFirst([unwrapContainers(unwrapped), unwrapped, markdown], { parse: parseFragment, jsx: true })
}

/** Reads the first of the versions whose marks are all outside code. */
function readFirst(versions: Line[][], dialect: Dialect): Piece[] {
  for (const lines of versions) {
    const pieces = tryRead(lines, dialect)
    if (pieces) return pieces
  }
  return []
}

/** Returns undefined if a mark ended up inside code. */
function tryRead(lines: Line[], { parse, jsx }: Dialect): Piece[] | undefined {
  const text = joinLines(lines)
  const root = parse(text)
  const source: Source = { text, lines, inline: { references: root.references, jsx } }
  const writer = pieceWriter({ freeWords: jsx })
  let marked = lines.reduce((sum, { marks }) => sum + (marks ? 1 : 0), 0)
  writeTree(root, source, writer, (node) => {
    const marks = node.type === 'thematicBreak' ? source.lines[node.line - 1]?.marks : undefined
    if (marks) marked--
    if (marks) writeMarks(marks, source.lines[node.line - 1]?.at ?? 1, writer)
    else if (node.type === 'html') writeHtml(node, source, writer)
    return marks !== undefined || node.type === 'html'
  })
  return marked === 0 ? writer.pieces : undefined
}

function writeMarks(marks: NonNullable<Line['marks']>, line: number, writer: PieceWriter): void {
  for (const { name, scope } of marks) {
    if (scope) writer.open(name, scope, line)
    else writer.close(name)
  }
}
