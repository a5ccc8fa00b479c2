import type { SnippetRow } from '../rows/snippet-store.ts'
import { fieldNames } from '../statistics/statistics.ts'

type Row = Pick<SnippetRow, 'terms' | 'lengths'>
/** Positions in the text of the terms. */
type Fields = { start: number; ends: number[] }

const space = 0x20

/** The frequencies of the wanted terms in a row, by field, in the order of `fieldNames`. Searches the text for each, because splitting it costs more. */
export function countTerms(row: Row, wanted: Iterable<string>): Map<string, number[]> {
  const { terms } = row
  const counts = new Map<string, number[]>()
  let fields: Fields | undefined
  for (const term of wanted) {
    for (let at = terms.indexOf(term); at >= 0; at = terms.indexOf(term, at + term.length)) {
      if (!isWhole(terms, at, at + term.length)) continue
      fields ??= fieldsOf(row)
      const field = at < fields.start ? -1 : fields.ends.findIndex((end) => at < end)
      if (field < 0) continue
      let byField = counts.get(term)
      if (!byField) {
        byField = fieldNames.map(() => 0)
        counts.set(term, byField)
      }
      byField[field] = (byField[field] ?? 0) + 1
    }
  }
  return counts
}

const isWhole = (terms: string, start: number, end: number): boolean =>
  (start === 0 || terms.charCodeAt(start - 1) === space) && (end === terms.length || terms.charCodeAt(end) === space)

function fieldsOf({ terms, lengths }: Row): Fields {
  let [at, index] = [0, 0]
  const startOf = (term: number): number => {
    while (index < term && at < terms.length) if (terms.charCodeAt(at++) === space) index += 1
    return index < term ? terms.length : at
  }
  // Skips the first copy of the title, which doubles its weight in the text index.
  let first = lengths[0] ?? 0
  const start = startOf(first)
  const ends = fieldNames.map((_, field) => {
    first += lengths[field] ?? 0
    return startOf(first)
  })
  return { start, ends }
}
