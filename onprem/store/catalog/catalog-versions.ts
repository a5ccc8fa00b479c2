import type { DatabaseSync } from 'node:sqlite'
import type { VectorSpace } from '../../../shared/ai/embedder.ts'
import type { SourceSettings, StoredVersion } from '../../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, parseLibraryId } from '../../../shared/library.ts'
import type { ServedVersion } from '../../../shared/search/libraries/catalog.ts'
import type { FlaggedRule } from '../../../shared/snippet.ts'

/** Reads the served versions of libraries and their parse settings. */
export function catalogVersions(db: DatabaseSync) {
  const served = db.prepare(
    "SELECT generation, ref, commit_date, rules, model, dimensions, (SELECT json_extract(settings, '$.flagged') FROM libraries WHERE key = versions.key) AS flagged FROM versions WHERE key = ? AND version = ? AND hidden_at IS NULL",
  )
  const versionsOf = db.prepare(
    'SELECT version, ref, generation, commit_id AS "commit", commit_date AS commitDate, tokens, snippets, code_snippets AS codeSnippets, updated_at AS updatedAt, model, dimensions, format, rules FROM versions WHERE key = ? ORDER BY updated_at, version',
  )
  return {
    served(key: string, version: string): Omit<ServedVersion, 'library' | 'version'> | undefined {
      const row = served.get(key, version)
      const space = row && spaceOf(row)
      return (
        row && {
          generation: String(row.generation),
          ref: String(row.ref),
          ...(row.commit_date !== null && { commitDate: String(row.commit_date) }),
          rules: JSON.parse(String(row.rules)),
          ...(row.flagged !== null && { flagged: row.flagged as FlaggedRule }),
          ...(space && { space }),
        }
      )
    },
    settings(key: string): SourceSettings {
      const row = db.prepare('SELECT settings FROM libraries WHERE key = ?').get(key)
      return row ? JSON.parse(String(row.settings)) : {}
    },
    versions: (key: string): StoredVersion[] =>
      versionsOf.all(key).map(({ model, dimensions, rules, commitDate, ...row }) => {
        return {
          ...row,
          commitDate: commitDate ?? undefined,
          rules: JSON.parse(String(rules)),
          space: spaceOf({ model, dimensions }),
        } as StoredVersion
      }),
    servedBy: (generations: string[]): string[] =>
      db
        .prepare(
          "SELECT id || iif(version = '', '', '@' || version) AS id FROM libraries JOIN versions USING (key) WHERE generation IN (SELECT value FROM json_each(?)) ORDER BY 1",
        )
        .all(JSON.stringify(generations))
        .map((row) => String(row.id)),
    outdated: (format: number): LibraryId[] =>
      db
        .prepare('SELECT DISTINCT id FROM libraries JOIN versions USING (key) WHERE format < ? ORDER BY key')
        .all(format)
        .map((row) => parseLibraryId(String(row.id))),
  }
}

export type CatalogVersions = ReturnType<typeof catalogVersions>

const spaceOf = ({ model, dimensions }: { model?: unknown; dimensions?: unknown }): VectorSpace | undefined =>
  typeof model === 'string' ? { model, dimensions: Number(dimensions) } : undefined
