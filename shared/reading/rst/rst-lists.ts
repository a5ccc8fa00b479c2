import type { Piece } from '../page/build-page.ts'
import { listBlocks, prose, withLead } from '../page/compose-blocks.ts'
import { dedent, endOfIndented, itemBody, type Lines, lineAt } from './lines.ts'
import { inlineCode, rstInline } from './rst-inline.ts'
import { type BlockReader, type RstState, readBody } from './rst-state.ts'

const bullet = /^[-+*•‣⁃](?:\s+|$)/
const enumerator = /^\(?(#|\d{1,9}|[A-Za-z]|[ivxlcdm]{1,9}|[IVXLCDM]{1,9})[.)](?:\s+|$)/
const optionStart = /^(?:-[\w?]|--\w|\/[A-Z?](?![\w/]))/

export const readBullets: BlockReader = (lines, at, state) => readItems(lines, at, state, bulletOf)

export const readEnumeration: BlockReader = (lines, at, state) => readItems(lines, at, state, enumeratorOf)

/** `:name: body`. Drops fields that only control Sphinx. */
export const readFields: BlockReader = (lines, at, state) => {
  const name = fieldName(lines.text[at] ?? '')
  if (name === undefined) return undefined
  const next = endOfItem(lines, at)
  const body = readBody(itemBody(lines, at, next, name.length + 2), state)
  const label = `**${rstInline(name, state.names)}:**`
  return { pieces: controlFields.has(name) ? [] : withLead(label, body, lineAt(lines, at)), next }
}

const controlFields = new Set(['orphan', 'nocomments', 'nosearch', 'tocdepth', 'hide-toc', 'html_theme.sidebar_secondary.remove'])

/** The name in `:name: body`, whose closing colon is followed by white space. */
export function fieldName(row: string): string | undefined {
  if (!/^:[^\s:]/.test(row)) return undefined
  for (let colon = row.indexOf(':', 2); colon > 0 && colon < 500; colon = row.indexOf(':', colon + 1)) {
    if (colon === row.length - 1 || row[colon + 1] === ' ')
      return row.slice(1, colon).includes('`') ? undefined : row.slice(1, colon)
  }
  return undefined
}

/** `-f FILE, --file=FILE  description`. */
export const readOptions: BlockReader = (lines, at, state) => {
  const row = lines.text[at] ?? ''
  if (!optionStart.test(row)) return undefined
  const gap = row.indexOf('  ')
  const next = endOfItem(lines, at)
  if (gap < 0 && next === at + 1) return undefined
  const width = gap < 0 ? row.length : gap
  const body = readBody(itemBody(lines, at, next, width), state)
  return { pieces: withLead(`${inlineCode(row.slice(0, width))}:`, body, lineAt(lines, at)), next }
}

export const readLineBlock: BlockReader = (lines, at, state) => {
  let next = at
  while (/^\|( |$)/.test(lines.text[next] ?? '') || (next > at && lines.text[next]?.startsWith(' '))) next++
  const rows = lines.text.slice(at, next).map((row) => row.replace(/^\|/, '').trim())
  return next > at ? { pieces: prose(rstInline(rows.join('\n'), state.names), lineAt(lines, at)), next } : undefined
}

/** A term with its indented definition below. */
export const readDefinition: BlockReader = (lines, at, state) => {
  const row = lines.text[at] ?? ''
  if (row.endsWith('::') || !lines.text[at + 1]?.startsWith(' ')) return undefined
  const next = endOfIndented(lines, at + 1)
  const [term = '', ...classifiers] = row.split(' : ')
  const note = classifiers.length > 0 ? ` (${rstInline(classifiers.join(', '), state.names)})` : ''
  const body = readBody(dedent(lines, at + 1, next), state)
  return { pieces: withLead(`**${rstInline(term, state.names)}**${note}:`, body, lineAt(lines, at)), next }
}

type Marker = { width: number; printed: string }

const bulletOf = (row: string): Marker | undefined => {
  const width = bullet.exec(row)?.[0].length
  return width === undefined ? undefined : { width, printed: '- ' }
}

const enumeratorOf = (row: string, order: number): Marker | undefined => {
  const match = enumerator.exec(row)
  if (!match) return undefined
  return { width: match[0].length, printed: match[1] === '#' ? `${order}. ` : `${match[0].trim()} ` }
}

/** A list as Markdown. An enumerator is valid only if its item continues or ends after it: `A. Smith` starts a sentence. */
function readItems(lines: Lines, at: number, state: RstState, markerOf: (row: string, order: number) => Marker | undefined) {
  const items: { marker: string; pieces: Piece[] }[] = []
  let next = at
  while (next < lines.text.length) {
    const marker = markerOf(lines.text[next] ?? '', items.length + 1)
    const follower = lines.text[next + 1] ?? ''
    if (!marker || !(follower === '' || follower.startsWith(' ') || markerOf(follower, 1) || follower.startsWith('..'))) break
    const end = endOfItem(lines, next)
    items.push({ marker: marker.printed, pieces: readBody(itemBody(lines, next, end, marker.width, marker.width), state) })
    next = nextText(lines, end)
    if (!markerOf(lines.text[next] ?? '', 1)) next = end
  }
  return next > at ? { pieces: listBlocks(items), next } : undefined
}

const endOfItem = (lines: Lines, at: number): number => endOfIndented(lines, at + 1)

function nextText(lines: Lines, from: number): number {
  let index = from
  while (lines.text[index] === '') index++
  return index
}
