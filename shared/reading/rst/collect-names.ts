import { indentOf, type Lines } from './lines.ts'
import { type RstNames, rstInline } from './rst-inline.ts'

const target = /^\.\. _`?([^`:_][^`:]{0,200})`?:(?: |$)/
const definition = /^\.\. \|([^|]{1,80})\|\s{1,8}(replace|unicode|image)::(?:\s+(.*))?$/
const maxDefinitionLength = 20
/** Longer substitutions are not applied. */
const maxSubstitutionLength = 10_000

/** Adds the targets and substitutions that a text defines, in any block. */
export function collectNames({ text }: Lines, names: RstNames): void {
  text.forEach((row, index) => {
    const indent = indentOf(row)
    if (!row.startsWith('.. ', indent)) return
    const explicit = row.slice(indent)
    const label = target.exec(explicit)?.[1]
    if (label !== undefined) names.targets.add(label.toLowerCase())
    const [, name, kind, first = ''] = definition.exec(explicit) ?? []
    if (name === undefined) return
    const below = text.slice(index + 1, index + maxDefinitionLength)
    const length = below.findIndex((next) => indentOf(next, indent + 1) <= indent)
    const rows = [first, ...below.slice(0, length < 0 ? below.length : length)].map((part) => part.trim())
    const meaning = rstInline(substitutionOf(kind ?? '', rows), names)
    if (meaning.length <= maxSubstitutionLength) names.substitutions.set(name.toLowerCase(), meaning)
  })
}

function substitutionOf(kind: string, rows: string[]): string {
  if (kind === 'replace') return rows.join(' ').trim()
  if (kind === 'image')
    return (
      rows
        .find((row) => row.startsWith(':alt:'))
        ?.slice(5)
        .trim() ?? ''
    )
  const decoded = (rows[0] ?? '').replace(/\b(?:0x|U\+|x)([0-9a-f]{2,6})\b/gi, (_, hex: string) => printCodePoint(hex))
  return decoded.split(' .. ')[0] ?? ''
}

const printCodePoint = (hex: string): string => String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff))
