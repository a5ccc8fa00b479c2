import type { Piece } from '../page/build-page.ts'
import { flatten, prose } from '../page/compose-blocks.ts'
import type { ReaderContext } from '../page/page.ts'
import { type Lines, lineAt } from './lines.ts'
import { inlineCode, type RstNames, rstInline } from './rst-inline.ts'

/** What one page's reading carries along. */
export type RstState = {
  context: ReaderContext
  /** The file that is read, last, and those that include it. */
  files: string[]
  names: RstNames
  /** Adornments in order of appearance: their index is the level of a title. */
  styles: string[]
  /** Of literal blocks, as `highlight` sets it. */
  language: string
  /** Of the tabs that are read, 0 outside, and the last one given. */
  group: number
  groups: number
  /** What included text may still cost, in characters. */
  budget: number
  depth: number
  /** The blocks of some lines; nested markup is read through it. */
  read(lines: Lines, state: RstState): Piece[]
}

/** The blocks that start at a row, and the row after them; undefined where the row starts something else. */
export type BlockReader = (lines: Lines, at: number, state: RstState) => { pieces: Piece[]; next: number } | undefined

/** Deeper markup is kept as plain prose. */
const deepest = 32

/** The blocks of a body. A heading in it is a bold line, since no section can start there. */
export function readBody(lines: Lines, state: RstState): Piece[] {
  if (state.depth >= deepest) return prose(lines.text.map((row) => row.trim()).join('\n'), lines.line)
  state.depth++
  const pieces = state.read(lines, state)
  state.depth--
  return flatten(pieces)
}

/** Rows of a paragraph as Markdown. */
export function inlineProse(lines: Lines, from: number, to: number, state: RstState): Piece[] {
  const rows = lines.text.slice(from, to).map((row) => row.trim())
  return prose(rstInline(rows.join('\n'), state.names), lineAt(lines, from))
}

export const signature = (text: string, line: number): Piece[] => prose(inlineCode(text.replace(/\\(?=.)/g, '')), line)
