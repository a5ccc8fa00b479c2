import { prepareMarkdown } from '../markdown/prepare-markdown.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'
import { toLines } from '../markdown/syntax/line.ts'
import type { Piece } from '../page/build-page.ts'
import { readRst } from '../rst/reader.ts'

/** reStructuredText of a docstring, which includes no files, whose first line is `line` of its file. */
export const rstDocs = (text: string, line: number): Piece[] =>
  shifted(readRst(text, { path: 'docs.rst', readFile: () => undefined }), line)

/** Markdown of a comment whose first line is `line` of its file. */
export const markdownDocs = (text: string, line: number): Piece[] => shifted(readMarkdown(prepareMarkdown(toLines(text))), line)

const shifted = (pieces: Piece[], first: number): Piece[] =>
  pieces.map((piece) => ({ ...piece, line: Math.max(1, piece.line + first - 1) }))

/** Text without the indentation that all lines but the first share. Keeps the number of lines. */
export function withoutIndent(text: string): string {
  const [first = '', ...rows] = text.replace(/\r\n?/g, '\n').replaceAll('\t', '        ').split('\n')
  const indents = rows.filter((row) => row.trim() !== '').map((row) => row.length - row.trimStart().length)
  const indent = indents.reduce((min, each) => Math.min(min, each), Number.POSITIVE_INFINITY)
  return [first.trim(), ...rows.map((row) => row.slice(Math.min(indent, row.length)).trimEnd())].join('\n')
}
