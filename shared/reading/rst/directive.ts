import { dedent, endOfIndented, indentOf, type Lines, lineAt } from './lines.ts'
import { fieldName } from './rst-lists.ts'

/** `.. name:: argument` with its `:option:` rows and its body. */
export type Directive = {
  name: string
  /** Text of the first row. */
  head: string
  /** The first row and its continuation, up to an option or a blank row. */
  argument: string[]
  options: Map<string, string>
  body: Lines
  line: number
}

const firstRow = /^\.\.\s+([A-Za-z0-9][\w.+:-]{0,80}?)\s?::(?:\s+(.*))?$/

/** The directive at a row, and the row after it. */
export function parseDirective(lines: Lines, at: number): { directive: Directive; next: number } | undefined {
  const match = firstRow.exec(lines.text[at] ?? '')
  if (!match) return undefined
  const [, name = '', first = ''] = match
  const next = endOfIndented(lines, at + 1)
  const below = dedent(lines, at + 1, next)
  const argument = first === '' ? [] : [first]
  let row = 0
  while (isText(below, row) && fieldName(below.text[row] ?? '') === undefined) argument.push(below.text[row++] ?? '')
  const options = new Map<string, string>()
  for (let key = fieldName(below.text[row] ?? ''); key !== undefined; key = fieldName(below.text[row] ?? '')) {
    let value = (below.text[row++] ?? '').slice(key.length + 2).trim()
    while (isText(below, row) && indentOf(below.text[row] ?? '', 1) > 0) value += ` ${(below.text[row++] ?? '').trim()}`
    options.set(key.toLowerCase(), value)
  }
  const body = dedent(below, row, below.text.length)
  return { directive: { name: name.toLowerCase(), head: first, argument, options, body, line: lineAt(lines, at) }, next }
}

/** Argument and body together, for directives without an argument. */
export function contentOf({ argument, body, line }: Directive): Lines {
  return argument.length === 0 ? body : { text: [...argument, ...body.text], line, step: body.step }
}

const isText = (lines: Lines, row: number): boolean => (lines.text[row] ?? '') !== ''
