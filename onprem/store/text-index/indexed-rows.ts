import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../shared/store/database.ts'
import { rowsPerGeneration } from './open-text-index.ts'

/** A chunk in the text index. `page` and `heading` are empty unless it is the first of its page or section. */
export type IndexedChunk = {
  /** Id and title of the library. */
  library: string
  /** Title and path of the page, on two lines. */
  page: string
  heading: string
  content: string
  path: string
  title: string
  /** The headings above the chunk, joined by " > ". */
  section: string
}

/** `score` is higher for better rows. `generation` is a number of the index. */
export type RankedRow = { row: number; generation: number; score: number }

/** Rows that are ranked for one search: a word in all rows must not block the server. */
const maxRanked = 2_000
/** Merging these blocks the server for some milliseconds. */
const pagesAtOnce = 64
/** A title that has the word is better than a heading, which is better than text; the library alone says little. */
const weights = '0.5, 8, 5, 1'

export type IndexedRows = ReturnType<typeof indexedRows>

/** The rows of the text index by generation, in the database that `openTextIndex` opens. */
export function indexedRows(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO chunks (rowid, library, page, heading, content, path, title, section) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // The limit comes before the order.
  const ranked = db.prepare(`
    SELECT row, row >> 32 AS generation, score FROM (
      SELECT rowid AS row, -bm25(chunks, ${weights}) AS score FROM chunks
      WHERE chunks MATCH :match AND (rowid >> 32) IN (SELECT value FROM json_each(:generations)) LIMIT ${maxRanked})
    ORDER BY score DESC, row`)
  const best = db.prepare(`
    SELECT rowid AS row, rowid >> 32 AS generation, -bm25(chunks, ${weights}) AS score FROM chunks
    WHERE chunks MATCH :match AND (rowid >> 32) IN (SELECT value FROM json_each(:generations)) ORDER BY score DESC, row LIMIT :limit`)
  const chunk = db.prepare('SELECT library, page, heading, content, path, title, section FROM chunks WHERE rowid = ?')
  const mergePages = db.prepare("INSERT INTO chunks (chunks, rank) VALUES ('merge', ?)")
  const totalChanges = db.prepare('SELECT total_changes() AS changes')
  const range = (number: number): [number, number] => [number * rowsPerGeneration, (number + 1) * rowsPerGeneration - 1]
  return {
    generations: () =>
      db.prepare('SELECT number, name, complete FROM generations').all() as { number: number; name: string; complete: number }[],
    begin: (name: string) =>
      Number(db.prepare('INSERT INTO generations (name, complete) VALUES (?, 0)').run(name).lastInsertRowid),
    /** Adds chunks after the first `written` ones. */
    add(number: number, written: number, chunks: IndexedChunk[]): void {
      const [first] = range(number)
      transaction(db, () => {
        for (const [i, { library, page, heading, content, path, title, section }] of chunks.entries())
          insert.run(first + written + i, library, page, heading, content, path, title, section)
      })
    },
    /** Forgets a generation whose rows are erased. */
    forget: (number: number) => db.prepare('DELETE FROM generations WHERE number = ?').run(number),
    setComplete: (number: number, complete: boolean) =>
      db.prepare('UPDATE generations SET complete = ? WHERE number = ?').run(Number(complete), number),
    /** Deletes at most `limit` rows, whose words `erase` deletes. Returns true when there were none. */
    deleteSome(number: number, limit: number): boolean {
      const { changes } = db
        .prepare('DELETE FROM chunks WHERE rowid IN (SELECT rowid FROM chunks WHERE rowid BETWEEN ? AND ? LIMIT ?)')
        .run(...range(number), limit)
      return Number(changes) === 0
    },
    /** Writes some pages of the index again, without the words of deleted rows. Returns true when none of them is left. */
    erase(isFirst: boolean): boolean {
      const changes = () => Number(totalChanges.get()?.changes)
      const before = changes()
      mergePages.run(isFirst ? -pagesAtOnce : pagesAtOnce)
      return changes() - before < 2
    },
    /** The best rows of these generations for an FTS5 query, best first, of the first two thousand that match. */
    ranked: (match: string, generations: number[]): RankedRow[] =>
      ranked.all({ match, generations: JSON.stringify(generations) }) as RankedRow[],
    /** The best rows of these generations for an FTS5 query, best first, of all that match: words in most rows take long. */
    best: (match: string, generations: number[], limit: number): RankedRow[] =>
      best.all({ match, generations: JSON.stringify(generations), limit }) as RankedRow[],
    chunk: (row: number) => chunk.get(row) as IndexedChunk | undefined,
  }
}
