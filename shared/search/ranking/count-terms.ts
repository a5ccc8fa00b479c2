import type { SnippetRow } from '../rows/snippet-store.ts'
import { fieldNames } from '../statistics/statistics.ts'

/** The frequencies of the wanted terms in a row, by field, in the order of `fieldNames`. */
export type TermCounts = {
  counts: Map<string, number[]>
  /** Those in its first paragraph. */
  inLead: Set<string>
}

type Row = Pick<SnippetRow, 'terms' | 'lengths'>
/** Positions in the text of the terms. */
type Fields = { start: number; ends: number[]; leadField: number; endOfLead: number }

const proseField = fieldNames.indexOf('prose')
const codeField = fieldNames.indexOf('code')
const space = 0x20

/** Searches the text for each wanted term, because splitting it costs more. */
export function countTerms(row: Row, wanted: Iterable<string>): TermCounts {
  const { terms } = row
  const counts = new Map<string, number[]>()
  const inLead = new Set<string>()
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
      if (field === fields.leadField && at < fields.endOfLead) inLead.add(term)
    }
  }
  return { counts, inLead }
}

const isWhole = (terms: string, start: number, end: number): boolean =>
  (start === 0 || terms.charCodeAt(start - 1) === space) && (end === terms.length || terms.charCodeAt(end) === space)

function fieldsOf({ terms, lengths }: Row): Fields {
  let [at, index] = [0, 0]
  const startOf = (term: number): number => {
    while (index < term && at < terms.length) if (terms.charCodeAt(at++) === space) index += 1
    return index < term ? terms.length : at
  }
  // A section of code only begins with its code.
  const leadField = lengths[proseField] === 0 ? codeField : proseField
  const leadLength = (leadField === codeField ? lengths[codeField] : lengths[fieldNames.length]) ?? 0
  // Skips the first copy of the title, which doubles its weight in the text index.
  let first = lengths[0] ?? 0
  const start = startOf(first)
  let endOfLead = start
  const ends = fieldNames.map((_, field) => {
    const length = lengths[field] ?? 0
    if (field === leadField) endOfLead = startOf(first + Math.min(leadLength, length))
    first += length
    return startOf(first)
  })
  return { start, ends, leadField, endOfLead }
}
