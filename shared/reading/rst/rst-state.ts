import type { Piece } from '../page/build-page.ts'
import { flatten, prose } from '../page/compose-blocks.ts'
import type { ReaderContext } from '../page/page.ts'
import { type Lines, lineAt } from './lines.ts'
import { inlineCode, type RstNames, rstInline } from './rst-inline.ts'

/** State of reading one page. */
export type RstState = {
  context: ReaderContext
  /** The files that include each other, ending with the one that is read. */
  files: string[]
  names: RstNames
  /** Adornments in order of appearance: their index is the level of a title. */
  styles: string[]
  /** Language of literal blocks, as `highlight` sets it. */
  language: string
  /** `group` is the number of the current set of tabs, 0 outside; `groups` is the last number used. */
  group: number
  groups: number
  /** Characters that includes may still add. */
  budget: number
  depth: number
  /** `readBlocks`, for nested markup: a direct import would be circular. */
  read(lines: Lines, state: RstState): Piece[]
}

/** The blocks that start at a row, and the row after them; undefined if the row starts something else. */
export type BlockReader = (lines: Lines, at: number, state: RstState) => { pieces: Piece[]; next: number } | undefined

/** Deeper markup is kept as plain prose. */
const maxDepth = 32

/** Reads the blocks of a body. Headings become bold lines, since no section can start there. */
export function readBody(lines: Lines, state: RstState): Piece[] {
  if (state.depth >= maxDepth) return prose(lines.text.map((row) => row.trim()).join('\n'), lines.line)
  state.depth++
  const pieces = state.read(lines, state)
  state.depth--
  return flatten(pieces)
}

/** Converts rows of a paragraph to Markdown. */
export function inlineProse(lines: Lines, from: number, to: number, state: RstState): Piece[] {
  const rows = lines.text.slice(from, to).map((row) => row.trim())
  return prose(rstInline(rows.join('\n'), state.names), lineAt(lines, from))
}

export const signature = (text: string, line: number): Piece[] => prose(inlineCode(text.replace(/\\(?=.)/g, '')), line)
