import { dedent, fenceRoles, indentOf, type Line } from '../syntax/line.ts'
import type { Mark, Scope } from '../syntax/scope.ts'
import { readMarker } from './container-marker.ts'
import { pairMarkers } from './pair-markers.ts'

/** `column` is the column of the marker, `body` that of its content; `opener` is the line index of its marker, or of the first in a set of tabs. */
type Open = { name: string; column: number; body: number; opener: number; byIndent: boolean }

const maxOpen = 50
const trigger = /^[ \t]*(?:!!!|\?\?\?|===|:::|\/\/\/)/

/**
 * Unwraps admonitions and tabs (by indentation), `:::` and `///` blocks, so that their bodies are read as Markdown of the page, except those that
 * the `skipped` lines open.
 */
export function unwrapContainers(lines: Line[], skipped: ReadonlySet<number> = new Set()): Line[] {
  if (!lines.some(({ text }) => trigger.test(text))) return lines
  const roles = fenceRoles(lines)
  const pairs = pairMarkers(lines, roles)
  const closers = new Set(pairs.values())
  const out: Line[] = []
  const open: Open[] = []
  /** Index of the line that may hold an option of the `///` block above it. */
  let options = -1
  const shift = () => open.reduce((sum, { body, column }) => sum + body - column, 0)

  const mark = (at: number, column: number, opener: number, entry: Mark) => {
    out.push({ text: '', at }, { text: `${' '.repeat(Math.max(0, column - shift()))}***`, at, marks: [entry], opener })
  }
  const start = (entry: Open, at: number, scope: Scope) => {
    mark(at, entry.column, entry.opener, { name: entry.name, scope })
    open.push(entry)
  }
  const closeFrom = (index: number, at: number) => {
    while (index >= 0 && open.length > index) {
      const last = open.pop()
      if (last) mark(at, last.column, last.opener, { name: last.name })
    }
  }

  lines.forEach((line, i) => {
    const { at, text } = line
    const column = indentOf(text)
    const marker = roles[i] === 'outside' && open.length < maxOpen && !skipped.has(i) ? readMarker(text.trim()) : undefined
    const inFence = roles[i] === 'inside' || roles[i] === 'closing'
    if (text.trim() !== '' && !inFence) {
      closeFrom(
        open.findIndex(
          (entry) =>
            entry.byIndent && (column < entry.body || (entry.name === 'tabs' && column === entry.body && marker?.kind !== 'tab')),
        ),
        at,
      )
    }
    if (text.trim() !== '' && !inFence && open.at(-1)?.name === 'tabs' && marker?.kind !== 'tab') closeFrom(open.length - 1, at)
    const byIndent = marker?.body === 'indent'
    const body = byIndent ? bodyColumn(lines, i, column) : pairs.has(i) ? column : undefined
    if (marker && body !== undefined) {
      if (marker.kind === 'tab' && open.at(-1)?.name !== 'tabs')
        start({ name: 'tabs', column, body: column, opener: i, byIndent }, at, { group: true })
      start({ name: marker.kind, column, body, opener: i, byIndent }, at, marker.scope)
      if (marker.body === '/') options = i + 1
    } else if (i === options && inOptions(text, column, open.at(-1))) {
      options = i + 1
    } else if (closers.has(i)) {
      closeFrom(
        open.findIndex(({ name, opener }) => name !== 'tabs' && pairs.get(opener) === i),
        at,
      )
    } else out.push({ ...line, text: dedent(text, shift()) })
  })
  closeFrom(0, lines.at(-1)?.at ?? 1)
  return out
}

/** Column of the content that is indented below a marker; undefined if there is none. */
function bodyColumn(lines: Line[], marker: number, column: number): number | undefined {
  const first = lines.slice(marker + 1, marker + 20).find(({ text }) => text.trim() !== '')
  const body = first ? indentOf(first.text) : 0
  return body >= column + 2 ? Math.min(body, column + 4) : undefined
}

/** An option of a `///` block, such as `    open: True`. */
const inOptions = (text: string, column: number, block: Open | undefined): boolean =>
  block !== undefined && column >= block.column + 4 && /^[\w-]+:(?:\s|$)|^-\s/.test(text.trim())
