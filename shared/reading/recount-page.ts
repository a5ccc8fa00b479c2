import { type AnalysedUnit, type PackedUnits, packUnits, unpackUnits } from '../search/rows/packed-units.ts'
import type { PageCounts } from '../search/statistics/statistics.ts'
import { analyseSnippets } from './analyse-page.ts'

/** A page of which only some units are stored, as the others are copies of units elsewhere. */
export type PartlyStored = { units: PackedUnits; isStored: boolean[] }
/** Copies have only their hash. */
export type RecountedPage = { units: PackedUnits; counts: PageCounts }

/** Analyses a page as if it had only the units that are stored, all of which have texts. */
export function recountPage({ units, isStored }: PartlyStored): RecountedPage {
  const snippets = unpackUnits(units, (i) => isStored[i] === true).map(
    ({ terms: _, lengths: __, meaning: ___, toCode: ____, ...snippet }) => snippet,
  )
  const { units: analysed, counts } = analyseSnippets(snippets, snippets[0]?.path ?? '')
  const stored = analysed.values()
  const all = units.hashes.map((hash, i) => (isStored[i] ? (stored.next().value as AnalysedUnit) : { hash }))
  return { units: packUnits(all), counts }
}
