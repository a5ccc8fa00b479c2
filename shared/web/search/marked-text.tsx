import { Fragment } from 'react'
import styles from './marked-text.module.css'

type MarkedTextProps = { text: string; marks: readonly (readonly number[])[] }

/** A text of strangers with its matched words marked. Marks outside the text or inside an earlier mark are ignored. */
export const MarkedText = ({ text, marks }: MarkedTextProps) => (
  <bdi>
    {partsOf(text, marks).map(({ from, part, isMarked }) =>
      isMarked ? (
        <mark key={from} className={styles.mark}>
          {part}
        </mark>
      ) : (
        <Fragment key={from}>{part}</Fragment>
      ),
    )}
  </bdi>
)

function partsOf(text: string, marks: MarkedTextProps['marks']) {
  const parts: { from: number; part: string; isMarked: boolean }[] = []
  let end = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > end) parts.push({ from: end, part: text.slice(end, to), isMarked })
    end = Math.max(end, to)
  }
  for (const [from = 0, to = 0] of marks.toSorted(([a = 0], [b = 0]) => a - b)) {
    if (from < end || to <= from || to > text.length) continue
    add(from, false)
    add(to, true)
  }
  add(text.length, false)
  return parts
}

/** Where the words of a search are in a text that the browser has, for example the title of a library. */
export function wordMarks(text: string, search: string): [number, number][] {
  const lower = text.toLowerCase()
  // A character may have another length in lower case, for example "İ".
  if (lower.length !== text.length) return []
  return wordsOf(search).flatMap((word) => {
    const at = lower.indexOf(word)
    return at < 0 ? [] : [[at, at + word.length] satisfies [number, number]]
  })
}

export const wordsOf = (search: string): string[] => [
  ...new Set(
    search
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  ),
]
