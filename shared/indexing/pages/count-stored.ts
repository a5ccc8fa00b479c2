import type { ReaderPool } from '../../reading/reader-pool.ts'
import { isTextKnown, type PackedUnits } from '../../search/rows/packed-units.ts'
import type { PageCounts } from '../../search/statistics/statistics.ts'

/** `counts` are those of the units with a text. */
export type CountedPage = { units: PackedUnits; counts: PageCounts | undefined }

/**
 * A page with the counts of the units that are stored, so that the statistics of a generation agree with its rows. Each unit that is stored has its
 * text. Undefined if the page cannot be counted again.
 */
export async function countStored(
  readers: Pick<ReaderPool, 'recount'>,
  page: CountedPage,
  isStored: boolean[],
): Promise<CountedPage | undefined> {
  const counted = isStored.filter((_, i) => isTextKnown(page.units, i)).length
  const stored = isStored.filter((each) => each).length
  return stored === 0 || stored === counted
    ? { units: page.units, counts: page.counts }
    : readers.recount({ units: page.units, isStored })
}
