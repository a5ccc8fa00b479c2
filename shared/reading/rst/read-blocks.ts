import type { Piece } from '../page/build-page.ts'
import { prose } from '../page/compose-blocks.ts'
import { dedent, endOfIndented, endOfText, indentOf, type Lines, lineAt, textOf } from './lines.ts'
import { readExplicit } from './read-explicit.ts'
import { rstInline } from './rst-inline.ts'
import { readBullets, readDefinition, readEnumeration, readFields, readLineBlock, readOptions } from './rst-lists.ts'
import { type BlockReader, inlineProse, type RstState, readBody } from './rst-state.ts'
import { readGridTable, readSimpleTable } from './rst-tables.ts'

const adornment = /^([!-/:-@[-`{-~])\1*$/
const directive = /^\.\. [A-Za-z][\w:.-]{0,80}::(\s|$)/

const readers: BlockReader[] = [
  readQuote,
  readExplicit,
  readSimpleTable,
  readOverlinedTitle,
  readTitle,
  readTransition,
  readGridTable,
  readDoctest,
  readBullets,
  readEnumeration,
  readFields,
  readOptions,
  readLineBlock,
  readDefinition,
  readParagraph,
]

/** Reads lines into blocks, in reading order. */
export function readBlocks(lines: Lines, state: RstState): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  while (at < lines.text.length) {
    if (lines.text[at] === '') {
      at++
      continue
    }
    for (const read of readers) {
      const block = read(lines, at, state)
      if (!block) continue
      for (const piece of block.pieces) pieces.push(piece)
      at = Math.max(block.next, at + 1)
      break
    }
  }
  return pieces
}

function readQuote(lines: Lines, at: number, state: RstState) {
  if (indentOf(lines.text[at] ?? '', 1) === 0) return undefined
  const next = endOfIndented(lines, at)
  return { pieces: readBody(dedent(lines, at, next), state), next }
}

function readOverlinedTitle(lines: Lines, at: number, state: RstState) {
  const [over = '', title = '', under = ''] = lines.text.slice(at, at + 3)
  if (!adornment.test(over) || title === '' || adornment.test(title) || under !== over) return undefined
  return { pieces: heading(title, `${over[0]}${over[0]}`, lineAt(lines, at + 1), state), next: at + 3 }
}

/** docutils requires at least four characters for an underline that is shorter than its title. */
function readTitle(lines: Lines, at: number, state: RstState) {
  const [title = '', under = ''] = lines.text.slice(at, at + 2)
  if (!adornment.test(under) || under === '::' || adornment.test(title)) return undefined
  if (under.length < 4 && under.length < title.length) return undefined
  return { pieces: heading(title, under[0] ?? '', lineAt(lines, at), state), next: at + 2 }
}

function heading(title: string, style: string, line: number, state: RstState): Piece[] {
  if (!state.styles.includes(style)) state.styles.push(style)
  const text = rstInline(title.trim(), state.names).replace(/[`*]/g, '').replace(/\\/g, '').trim()
  return text === '' ? [] : [{ kind: 'heading', text, level: state.styles.indexOf(style), line }]
}

function readTransition(lines: Lines, at: number) {
  const row = lines.text[at] ?? ''
  return row.length >= 4 && adornment.test(row) ? { pieces: [], next: at + 1 } : undefined
}

function readDoctest(lines: Lines, at: number) {
  if (!/^>>>( |$)/.test(lines.text[at] ?? '')) return undefined
  const next = endOfText(lines, at)
  const code = lines.text.slice(at, next).join('\n')
  return { pieces: [{ kind: 'code' as const, code, language: 'pycon', line: lineAt(lines, at) }], next }
}

/** Ends at a blank row, an indented row or a directive without a blank row before it. `::` at the end announces a literal block. */
function readParagraph(lines: Lines, at: number, state: RstState) {
  let end = at + 1
  while (end < lines.text.length && lines.text[end] !== '' && !isInterrupted(lines.text[end] ?? '')) end++
  const last = lines.text[end - 1] ?? ''
  if (!last.endsWith('::')) return { pieces: inlineProse(lines, at, end, state), next: end }
  const lead = last === '::' ? '' : last.slice(0, -2).trimEnd() + (/\s::$/.test(last) ? '' : ':')
  const rows = [...lines.text.slice(at, end - 1), lead].map((row) => row.trim())
  const literal = readLiteral(lines, end, state)
  return { pieces: [...prose(rstInline(rows.join('\n'), state.names), lineAt(lines, at)), ...literal.pieces], next: literal.next }
}

const isInterrupted = (row: string): boolean => row.startsWith(' ') || directive.test(row)

/** An indented block, or unindented rows that all start with the same mark, as in mails. None before a directive. */
function readLiteral(lines: Lines, from: number, state: RstState): { pieces: Piece[]; next: number } {
  let start = from
  while (start < lines.text.length && lines.text[start] === '') start++
  const row = lines.text[start] ?? ''
  if (directive.test(row)) return { pieces: [], next: from }
  let next = endOfIndented(lines, start)
  if (!row.startsWith(' ') && /^[!-/:-@[-`{-~]/.test(row)) {
    next = start
    while (lines.text[next]?.[0] === row[0]) next++
  }
  if (next <= start) return { pieces: [], next: from }
  const body = dedent(lines, start, next)
  return { pieces: [{ kind: 'code', code: textOf(body), language: state.language, line: body.line }], next }
}
