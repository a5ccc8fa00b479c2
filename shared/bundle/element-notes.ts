import type { Skipped } from '../reading/discover/skipped.ts'
import { pluralize } from '../text/figures.ts'
import { visibleText } from '../text/visible-text.ts'

/** The parts of an element that were omitted or changed, for the report of its job. */
export type ElementNotes = {
  /** A snippet that cannot be read. */
  unreadable(snippet: string, reason: string): void
  empty(list: string): void
  /** A value of a known field. `what` says what is wrong with it, and what was done. */
  changed(field: string, what: string): void
  unknown(field: string): void
  /** The reason why nothing of the element can be read; undefined if it had no snippets. */
  whyNothing(): string | undefined
  /** Their number is limited. */
  lines(): Skipped[]
}

/** Further ones are counted. */
const maxUnreadable = 100
const maxFields = 50
const maxFieldChars = 100

export function elementNotes(): ElementNotes {
  const unreadable: Skipped[] = []
  const empty = new Map<string, number>()
  const changed = new Map<string, { path: string; what: string; times: number }>()
  const unknown = new Map<string, number>()
  let [moreUnreadable, moreUnknown] = [0, 0]
  const emptySnippets = () => [...empty.values()].reduce((sum, each) => sum + each, 0)
  return {
    unreadable(snippet, reason) {
      if (unreadable.length < maxUnreadable) unreadable.push({ path: snippet, reason })
      else moreUnreadable += 1
    },
    empty: (list) => void empty.set(list, (empty.get(list) ?? 0) + 1),
    changed(field, what) {
      const key = `${field} ${what}`
      const before = changed.get(key)
      if (before) before.times += 1
      else changed.set(key, { path: field, what, times: 1 })
    },
    unknown(name) {
      const field = shortName(name)
      const times = unknown.get(field)
      if (times !== undefined || unknown.size < maxFields) unknown.set(field, (times ?? 0) + 1)
      else moreUnknown += 1
    },
    whyNothing() {
      const [first] = unreadable
      if (!first && empty.size === 0) return undefined
      if (!first) return `It contains only empty snippets (${emptySnippets()}).`
      const total = unreadable.length + moreUnreadable
      const others = total > 1 ? `, and ${total - 1} more cannot be read` : ''
      return `It contains no snippet that can be read: ${first.path}: ${first.reason}${others}.`
    },
    lines: () => [
      ...unreadable,
      ...(moreUnreadable > 0
        ? [{ path: '…', reason: `and ${pluralize(moreUnreadable, 'more snippet')} that cannot be read` }]
        : []),
      ...[...empty].map(([path, times]) => ({ path, reason: `${pluralize(times, 'empty snippet')} left out` })),
      ...[...changed.values()].map(({ path, what, times }) => ({ path, reason: what + timesOf(path, times) })),
      ...[...unknown].map(([field, times]) => ({
        path: visibleText(field),
        reason: `not a known field; it is ignored${timesOf(field, times)}`,
      })),
      ...(moreUnknown > 0 ? [{ path: '…', reason: `and ${moreUnknown} more values of unknown fields` }] : []),
    ],
  }
}

/** A copy, since a part of a text keeps the whole text in memory. */
const shortName = (name: string): string =>
  name.length <= maxFieldChars ? name : Buffer.from(name.slice(0, maxFieldChars)).toString()

function timesOf(field: string, times: number): string {
  if (field.includes('[]')) return ` (${pluralize(times, 'snippet')})`
  return times > 1 ? ` (${times} times)` : ''
}
