import type { Table } from '@lancedb/lancedb'
import { UnreadableContent } from '../search/rows/unreadable-content.ts'

/**
 * The format of a generation: its rows (`lance-rows.ts`), their analysis (`analyse.ts`, `analyse-page.ts`) and its statistics
 * (`statistics.ts`). Increment it with every change to one of them. Content in an older format is rebuilt from its rows. It is served until then,
 * unless it is older than `oldestReadableFormat`.
 */
export const generationFormat = 4

/** Older statistics cannot be read. Such content is served after it is rebuilt. */
export const oldestReadableFormat = 1

/** A generation has two tables: its rows, and its statistics with this suffix. */
export const statisticsSuffix = '.statistics'

const key = 'carrel.generation.format'

/** The metadata in the schema of both tables of a generation, so that the format can be read without the catalog. */
export const formatMetadata = (format: number): Map<string, string> => new Map([[key, String(format)]])

/** Throws search_failed for a table without a format number. */
export async function formatOf(table: Table): Promise<number> {
  const { metadata } = await table.schema()
  const format = metadata.get(key)
  if (format !== undefined) return Number(format)
  throw new UnreadableContent('search_failed', 'It was written by an unreleased version of Carrel.', {
    parsed: 'Refresh the library, or import it again with force.',
    imported: 'Import it again with force.',
  })
}
