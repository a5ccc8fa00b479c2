import type { SnippetRow } from '../rows/snippet-store.ts'
import { fieldNames } from '../statistics/statistics.ts'

type Row = Pick<SnippetRow, 'terms' | 'lengths'>

/** The frequencies of the wanted terms in a row, by field, in the order of `fieldNames`. */
export type CountTerms = (row: Row) => Map<string, number[]>

const space = 0x20
const slots = 1024

/**
 * Counts the wanted terms in one pass over the characters of a row: splitting the text, or searching it for each term, costs several times more. A term
 * is compared only if its hash is one of those wanted.
 */
export function termCounter(wanted: Iterable<string>): CountTerms {
  const isWanted = new Uint8Array(slots)
  const terms = new Set(wanted)
  for (const term of terms) isWanted[slotOf(term)] = 1
  return ({ terms: text, lengths }) => {
    const counts = new Map<string, number[]>()
    // The first copy of the title doubles its weight in the text index. It counts nowhere.
    let [field, left] = [-1, lengths[0] ?? 0]
    let [start, hash] = [0, 0]
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : space
      if (code !== space) {
        hash = mix(hash, code)
        continue
      }
      while (left === 0 && field < fieldNames.length) {
        field += 1
        left = lengths[field] ?? 0
      }
      if (field >= fieldNames.length) break
      if (field >= 0 && isWanted[hash & (slots - 1)] === 1) count(counts, terms, text.slice(start, at), field)
      left -= 1
      start = at + 1
      hash = 0
    }
    return counts
  }
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
