import type { Table } from '@lancedb/lancedb'

/**
 * The format of a generation: its rows (`lance-rows.ts`), their analysis (`analyse.ts`, `analyse-page.ts`) and its statistics
 * (`statistics.ts`). Increment it with every change to one of them. Content in an older format is rebuilt from its rows. It is served until then,
 * unless it is older than `oldestReadableFormat`.
 *
 * 1: rows and statistics before tables had a format number.
 * 2: the statistics have the kind of each page, and the texts of rows contain no invisible characters.
 * 3: plural acronyms (`APIs`) are one word, and British and American spelling have the same stem. A row is packed into one column.
 * 4: rows have their meaning and the length of their first paragraph, and statistics the mean of the meanings.
 * 5: the statistics count the stored rows only, without the copies that pages share with others.
 */
export const generationFormat = 5

/** Older statistics cannot be read. Such content is served after it is rebuilt. */
export const oldestReadableFormat = 1

const key = 'carrel.format'

/** The metadata in the schema of both tables of a generation, so that the format can be read without the catalog. */
export const formatMetadata = (format: number): Map<string, string> => new Map([[key, String(format)]])

export async function formatOf(table: Table): Promise<number> {
  const { metadata } = await table.schema()
  return Number(metadata.get(key) ?? 1)
}
