import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../shared/errors.ts'
import type { LibraryFacts, NewVersion, StoredVersion } from '../../../shared/indexing/indexing-catalog.ts'
import { type LibraryId, libraryKey, shownId } from '../../../shared/library.ts'
import type { RepositoryState } from '../../../shared/reading/git/repository-facts.ts'
import type { CatalogGenerations } from './catalog-generations.ts'

type PublishPorts = { db: DatabaseSync; now(): Date; generations: Pick<CatalogGenerations, 'retire' | 'serve'> }

/** Writes the facts of a library and switches versions of it to new content. A private library stays private. Runs in the caller's transaction. */
export function publishLibrary(
  { db, now, generations }: PublishPorts,
  key: string,
  facts: LibraryFacts,
  versions: NewVersion[],
): void {
  db.prepare(`
      INSERT INTO libraries (key, id, title, description, branch, source_url, stars, trust_score, aliases, settings, private, imported, generated)
      VALUES (?, ?, ?, ?, ?, ?, ?, -1, ?, ?, ?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET id = excluded.id, title = excluded.title, description = excluded.description, branch = excluded.branch,
        source_url = excluded.source_url, stars = iif(excluded.stars >= 0, excluded.stars, stars), aliases = excluded.aliases, settings = excluded.settings, private = max(private, excluded.private),
        imported = excluded.imported, generated = excluded.generated
    `).run(
    key,
    facts.id,
    facts.title,
    facts.description,
    facts.branch,
    facts.sourceUrl,
    facts.repository?.stars ?? facts.stars ?? -1,
    JSON.stringify(facts.aliases),
    JSON.stringify(facts.settings),
    facts.private ? 1 : 0,
    facts.imported ? 1 : 0,
    facts.generated ? 1 : 0,
  )
  if (facts.repository) storeRepository(db, key, facts.repository)
  for (const each of versions) {
    const before = db.prepare('SELECT generation FROM versions WHERE key = ? AND version = ?').get(key, each.version)
    db.prepare(
      'INSERT OR REPLACE INTO versions (key, version, ref, generation, commit_id, commit_date, tokens, snippets, code_snippets, code_language, rules, updated_at, model, dimensions, format) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      key,
      each.version,
      each.ref,
      each.generation,
      each.commit,
      each.commitDate ?? null,
      each.tokens,
      each.snippets,
      each.codeSnippets,
      each.codeLanguage ?? null,
      JSON.stringify(each.rules),
      now().toISOString(),
      each.space?.model ?? null,
      each.space?.dimensions ?? null,
      each.format,
    )
    generations.serve(each.generation)
    if (before && before.generation !== each.generation) generations.retire(String(before.generation))
  }
}

/** Stores the facts of the repository of a library. Runs in the caller's transaction. */
export function storeRepository(db: DatabaseSync, key: string, repository: RepositoryState): void {
  db.prepare('INSERT OR REPLACE INTO repositories (key, facts) VALUES (?, ?)').run(key, JSON.stringify(repository))
}

/** Switches the versions that serve a generation to a copy of it. Runs in the caller's transaction. Throws not_found. */
export function replaceGeneration(
  { db, generations }: PublishPorts,
  id: LibraryId,
  { generation: before }: StoredVersion,
  { generation, space, format }: Pick<NewVersion, 'generation' | 'space' | 'format'>,
): void {
  const { changes } = db
    .prepare('UPDATE versions SET generation = ?, model = ?, dimensions = ?, format = ? WHERE key = ? AND generation = ?')
    .run(generation, space?.model ?? null, space?.dimensions ?? null, format, libraryKey(id), before)
  if (changes === 0) throw new AppError('not_found', `The content of ${shownId(id)} was replaced or removed meanwhile.`)
  generations.retire(before)
  generations.serve(generation)
}
