import type { DatabaseSync } from 'node:sqlite'
import type { LibraryState } from '../../../shared/library.ts'
import type { RepositoryState } from '../../../shared/reading/git/repository-facts.ts'
import type { ListedLibrary } from '../../../shared/search/libraries/catalog.ts'

/** A library of this install, as `/api/projects` lists it. */
export type InstallLibrary = ListedLibrary & {
  sourceUrl: string
  commit: string
  /** The programming language of most code; absent if unknown. */
  codeLanguage?: string
  /** When the newest content of it was written; absent without content. */
  writtenAt?: string
  /** Facts of its repository; absent until its host has told them. */
  repository?: RepositoryState
  /** Words by which people group libraries, in the order of the alphabet. */
  tags: string[]
  imported: boolean
  private: boolean
  generated: boolean
}

type Row = {
  key: string
  id: string
  title: string
  description: string
  branch: string
  source_url: string
  stars: number
  trust_score: number
  aliases: string
  private: number
  imported: number
  generated: number
  ref: string | null
  commit_id: string | null
  commit_date: string | null
  tokens: number | null
  snippets: number | null
  code_snippets: number | null
  code_language: string | null
  updated_at: string | null
  tags: string
  versions: string | null
  written_at: string | null
  repository: string | null
}

export type LibraryRows = { all(): InstallLibrary[]; get(key: string): InstallLibrary | undefined }

/** Reads libraries with the figures of their default content. */
export function libraryRows(db: DatabaseSync): LibraryRows {
  const select = `
    SELECT l.*, v.ref, v.commit_id, v.commit_date, v.tokens, v.snippets, v.code_snippets, v.code_language, v.updated_at,
      (SELECT json_group_array(version) FROM (SELECT version FROM shown_versions WHERE key = l.key AND version <> '' ORDER BY version)) AS versions,
      (SELECT max(updated_at) FROM shown_versions WHERE key = l.key) AS written_at,
      (SELECT facts FROM repositories r WHERE r.key = l.key) AS repository
    FROM shown_libraries l LEFT JOIN versions v ON v.key = l.key AND v.version = ''`
  const all = db.prepare(select)
  const one = db.prepare(`${select} WHERE l.key = ?`)
  return {
    all: () => (all.all() as Row[]).map(toLibrary),
    get(key) {
      const row = one.get(key) as Row | undefined
      return row && toLibrary(row)
    },
  }
}

function repositoryOf({ repository }: Row): Pick<InstallLibrary, 'repository' | 'codeLicense' | 'movedTo'> {
  if (repository === null) return {}
  const facts = JSON.parse(repository) as RepositoryState
  const { license, movedTo } = facts
  return { repository: facts, ...(license && { codeLicense: license }), ...(movedTo && { movedTo }) }
}

function toLibrary(row: Row): InstallLibrary {
  const state: LibraryState = row.commit_id === null && row.versions === '[]' ? 'initial' : 'finalized'
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    branch: row.branch,
    ...(row.ref && { version: row.ref }),
    ...(row.commit_date && { commitDate: row.commit_date }),
    lastUpdateDate: row.commit_date ?? row.updated_at ?? new Date(0).toISOString(),
    state,
    totalTokens: row.tokens ?? 0,
    totalSnippets: row.snippets ?? 0,
    codeSnippets: row.code_snippets ?? 0,
    stars: row.stars,
    trustScore: row.trust_score,
    benchmarkScore: 0,
    versions: JSON.parse(row.versions ?? '[]'),
    source: row.imported ? 'Imported' : row.private ? 'Local (Private)' : 'Local',
    aliases: JSON.parse(row.aliases),
    sourceUrl: row.source_url,
    commit: row.commit_id ?? '',
    ...(row.code_language && { codeLanguage: row.code_language }),
    ...(row.written_at && { writtenAt: row.written_at }),
    tags: JSON.parse(row.tags),
    ...repositoryOf(row),
    imported: row.imported === 1,
    private: row.private === 1,
    generated: row.generated === 1,
  }
}
