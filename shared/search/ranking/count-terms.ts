import type { SnippetRow } from '../rows/snippet-store.ts'
import { fieldNames } from '../statistics/statistics.ts'

type Row = Pick<SnippetRow, 'terms' | 'lengths'>

/** The frequencies of the wanted terms in a row, by field, in the order of `fieldNames`. */
export type CountTerms = (row: Row) => Map<string, number[]>

const space = 0x20
const slots = 1024

/** The hash and the end of each term of the rows in memory, so that a row that many questions find is cut only once. */
const cutRows = new WeakMap<Row, Int32Array>()

/** Counts the wanted terms of a row. A term is compared only if its hash is one of those wanted. */
export function termCounter(wanted: Iterable<string>): CountTerms {
  const isWanted = new Uint8Array(slots)
  const terms = new Set(wanted)
  for (const term of terms) isWanted[slotOf(term)] = 1
  return (row) => {
    const counts = new Map<string, number[]>()
    const cuts = cutsOf(row)
    // The first copy of the title doubles its weight in the text index. It counts nowhere.
    const copied = row.lengths[0] ?? 0
    let start = copied === 0 ? 0 : (cuts[copied * 2 - 1] ?? 0) + 1
    let at = copied * 2
    for (let field = 0; field < fieldNames.length; field++) {
      const end = Math.min(cuts.length, at + (row.lengths[field] ?? 0) * 2)
      for (; at < end; at += 2) {
        const termEnd = cuts[at + 1] as number
        if (isWanted[(cuts[at] as number) & (slots - 1)] === 1) count(counts, terms, row.terms.slice(start, termEnd), field)
        start = termEnd + 1
      }
    }
    return counts
  }
}

function cutsOf(row: Row): Int32Array {
  const known = cutRows.get(row)
  if (known) return known
  const cuts: number[] = []
  const { terms: text } = row
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== space) {
      hash = mix(hash, code)
      continue
    }
    cuts.push(hash, at)
    hash = 0
  }
  cuts.push(hash, text.length)
  const packed = Int32Array.from(cuts)
  cutRows.set(row, packed)
  return packed
}

function count(counts: Map<string, number[]>, wanted: Set<string>, term: string, field: number): void {
  if (!wanted.has(term)) return
  let byField = counts.get(term)
  if (!byField) {
    byField = fieldNames.map(() => 0)
    counts.set(term, byField)
  }
  byField[field] = (byField[field] ?? 0) + 1
}

const mix = (hash: number, code: number): number => (Math.imul(hash, 31) + code) | 0

function slotOf(term: string): number {
  let hash = 0
  for (let at = 0; at < term.length; at++) hash = mix(hash, term.charCodeAt(at))
  return hash & (slots - 1)
}
