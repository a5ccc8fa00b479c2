import { diffArrays, diffLines, diffWordsWithSpace } from 'diff'
import { passagesOf, type ReadSnippet } from './passages.ts'

/** A piece of a line; `changed` if the other version does not have it. */
export type Piece = { text: string; changed: boolean }
export type Line = { kind: 'same' | 'added' | 'removed'; pieces: Piece[] }
/** A number of equal lines that are not shown. */
export type Gap = { hidden: number }
/** `id` is unique in a comparison. */
export type ComparedSection = {
  id: string
  heading: string
  change: 'same' | 'added' | 'removed' | 'changed'
  lines: (Line | Gap)[]
}

/** `isCut`: the texts differ so much, or are so long, that only whole sections were compared. */
export type Comparison = { sections: ComparedSection[]; isCut: boolean }

type Section = { key: string; heading: string; text: string }

/** Time limit of a whole comparison. */
const maxMs = 1_500
/** The lines of longer sections are not compared. */
const maxSectionChars = 400_000
/** The words of longer lines are not compared. */
const maxWordChars = 4_000
const maxEdits = 4_000
const contextLines = 3

/** Compares two versions of a page by section, line and word. Takes at most a few seconds: after that, sections are compared as a whole. */
export function comparePages(
  older: readonly ReadSnippet[],
  newer: readonly ReadSnippet[],
  now = () => performance.now(),
): Comparison {
  const ends = now() + maxMs
  let isCut = false
  const sections = pairsOf(sectionsOf(older), sectionsOf(newer)).map(([before, after]): ComparedSection => {
    const { heading = '', key = '' } = after ?? before ?? {}
    if (!before || !after) {
      const kind = after ? 'added' : 'removed'
      return { id: `${kind} ${key}`, heading, change: kind, lines: linesOf((after ?? before)?.text ?? '', kind) }
    }
    if (before.text === after.text) return { id: key, heading, change: 'same', lines: [] }
    const lines = now() < ends ? linesBetween(before.text, after.text, ends - now()) : undefined
    isCut ||= lines === undefined
    return {
      id: key,
      heading,
      change: 'changed',
      lines: lines ?? [...linesOf(before.text, 'removed'), ...linesOf(after.text, 'added')],
    }
  })
  return { sections, isCut }
}

/** Snippets below the same headings are one section. Repeated headings are numbered in their order. */
function sectionsOf(snippets: readonly ReadSnippet[]): Section[] {
  const sections: Section[] = []
  const counts = new Map<string, number>()
  let above: string | undefined
  for (const { snippet } of passagesOf(snippets)) {
    const path = snippet.breadcrumb.join('\n')
    const last = sections.at(-1)
    if (last && path === above) last.text += `\n\n${snippet.content}`
    else {
      const count = counts.get(path) ?? 0
      counts.set(path, count + 1)
      sections.push({ key: `${path}\n${count}`, heading: snippet.breadcrumb.at(-1) ?? '', text: snippet.content })
    }
    above = path
  }
  return sections
}

type Pair = [before: Section | undefined, after: Section | undefined]

/** The sections of both versions in order, paired by their headings. A section that moved is removed and added. */
function pairsOf(older: Section[], newer: Section[]): Pair[] {
  const keysOf = (sections: Section[]) => sections.map(({ key }) => key)
  const changes = diffArrays(keysOf(older), keysOf(newer), { timeout: maxMs, maxEditLength: maxEdits })
  if (!changes) return pairsByKey(older, newer)
  let [i, j] = [0, 0]
  return changes.flatMap(({ added, removed, value }) =>
    value.map((): Pair => {
      if (added) return [undefined, newer[j++]]
      if (removed) return [older[i++], undefined]
      return [older[i++], newer[j++]]
    }),
  )
}

function pairsByKey(older: Section[], newer: Section[]): Pair[] {
  const before = new Map(older.map((section) => [section.key, section]))
  const pairs = newer.map((section): Pair => {
    const pair: Pair = [before.get(section.key), section]
    before.delete(section.key)
    return pair
  })
  return [...pairs, ...[...before.values()].map((section): Pair => [section, undefined])]
}

function linesBetween(before: string, after: string, timeout: number): (Line | Gap)[] | undefined {
  if (before.length + after.length > maxSectionChars) return undefined
  const changes = diffLines(`${before}\n`, `${after}\n`, { timeout, maxEditLength: maxEdits })
  if (!changes) return undefined
  const lines: Line[] = []
  for (let at = 0; at < changes.length; at++) {
    const change = changes[at]
    const next = changes[at + 1]
    if (!change) break
    if (change.removed && next?.added) {
      lines.push(...rewritten(change.value, next.value))
      at++
    } else lines.push(...linesOf(change.value, change.added ? 'added' : change.removed ? 'removed' : 'same'))
  }
  return withGaps(lines)
}

/** Removed lines, then added ones, with the words that differ if the texts are short. */
function rewritten(before: string, after: string): Line[] {
  const words =
    before.length + after.length <= maxWordChars ? diffWordsWithSpace(before, after, { maxEditLength: 500 }) : undefined
  if (!words) return [...linesOf(before, 'removed'), ...linesOf(after, 'added')]
  const side = (kind: 'removed' | 'added') => {
    const other = kind === 'removed' ? 'added' : 'removed'
    return splitLines(
      words.flatMap((word) => (word[other] ? [] : [{ text: word.value, changed: word[kind] }])),
      kind,
    )
  }
  return [...side('removed'), ...side('added')]
}

function splitLines(pieces: Piece[], kind: Line['kind']): Line[] {
  const lines: Line[] = [{ kind, pieces: [] }]
  for (const { text, changed } of pieces)
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push({ kind, pieces: [] })
      if (part !== '') lines.at(-1)?.pieces.push({ text: part, changed })
    }
  if (lines.at(-1)?.pieces.length === 0) lines.pop()
  return lines
}

const linesOf = (text: string, kind: Line['kind']): Line[] => splitLines([{ text, changed: false }], kind)

/** Hides equal lines that are far from a change. */
function withGaps(lines: Line[]): (Line | Gap)[] {
  const isShown = new Uint8Array(lines.length)
  for (const [i, { kind }] of lines.entries())
    if (kind !== 'same') isShown.fill(1, Math.max(0, i - contextLines), Math.min(lines.length, i + contextLines + 1))
  const shown: (Line | Gap)[] = []
  for (const [i, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isShown[i]) shown.push(line)
    else if (last && 'hidden' in last) last.hidden++
    else shown.push({ hidden: 1 })
  }
  return shown
}
