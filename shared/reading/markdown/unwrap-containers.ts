import { readMarker } from './container-marker.ts'
import { dedent, type FenceRole, fenceRoles, indentOf, type Line } from './line.ts'
import type { Mark, Scope } from './scope.ts'

/** `column` is the column of the marker, `body` that of its content; `opener` is the marker's line index, `-1` for a set of tabs. */
type Open = { name: string; column: number; body: number; opener: number; byIndent: boolean }

const maxOpen = 50
const trigger = /^[ \t]*(?:!!!|\?\?\?|===|:::)/

/** Unwraps admonitions and tabs (by indentation) and `:::` blocks, so that their bodies are read as Markdown of the page. */
export function unwrapContainers(lines: Line[]): Line[] {
  if (!lines.some(({ text }) => trigger.test(text))) return lines
  const roles = fenceRoles(lines)
  const pairs = pairColons(lines, roles)
  const closers = new Set(pairs.values())
  const out: Line[] = []
  const open: Open[] = []
  const shift = () => open.reduce((sum, { body, column }) => sum + body - column, 0)

  const mark = (at: number, column: number, entry: Mark) => {
    out.push({ text: '', at }, { text: `${' '.repeat(Math.max(0, column - shift()))}***`, at, marks: [entry] })
  }
  const start = (entry: Open, at: number, scope: Scope) => {
    mark(at, entry.column, { name: entry.name, scope })
    open.push(entry)
  }
  const closeFrom = (index: number, at: number) => {
    while (index >= 0 && open.length > index) {
      const last = open.pop()
      if (last) mark(at, last.column, { name: last.name })
    }
  }

  lines.forEach((line, i) => {
    const { at, text } = line
    const column = indentOf(text)
    const marker = roles[i] === 'outside' && open.length < maxOpen ? readMarker(text.trim()) : undefined
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
    const body = marker?.byIndent ? bodyColumn(lines, i, column) : column
    if (marker?.byIndent && body !== undefined) {
      if (marker.kind === 'tab' && open.at(-1)?.name !== 'tabs') {
        start({ name: 'tabs', column, body: column, opener: -1, byIndent: true }, at, { group: true })
      }
      start({ name: marker.kind, column, body, opener: i, byIndent: true }, at, marker.scope)
    } else if (marker && pairs.has(i)) {
      start({ name: marker.kind, column, body: column, opener: i, byIndent: false }, at, marker.scope)
    } else if (closers.has(i)) {
      closeFrom(
        open.findIndex(({ opener }) => opener >= 0 && pairs.get(opener) === i),
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

/** Maps each `:::name` line to the `:::` line that closes it. An unclosed one (mkdocstrings) is text. */
function pairColons(lines: Line[], roles: FenceRole[]): Map<number, number> {
  const pairs = new Map<number, number>()
  const open: { index: number; length: number }[] = []
  lines.forEach(({ text }, index) => {
    if (roles[index] !== 'outside' || !text.includes(':::')) return
    const trimmed = text.trim()
    const length = /^:*/.exec(trimmed)?.[0].length ?? 0
    if (length === trimmed.length) {
      const at = open.findLastIndex((entry) => entry.length <= length)
      const opener = open[at]
      if (opener) pairs.set(opener.index, index)
      if (at >= 0) open.length = at
    } else if (length >= 3 && readMarker(trimmed)) open.push({ index, length })
  })
  return pairs
}
