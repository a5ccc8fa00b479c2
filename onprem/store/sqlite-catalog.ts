import type { DatabaseSync } from 'node:sqlite'
import type { VectorSpace } from '../../shared/ai/embedder.ts'
import { AppError } from '../../shared/errors.ts'
import { isLibraryId, type LibraryId, type LibraryState, libraryKey, shownId, versionName } from '../../shared/library.ts'
import type {
  JobId,
  LibraryFacts,
  NewVersion,
  ParseCatalog,
  SourceSettings,
  StoredVersion,
} from '../../shared/parse/parse-catalog.ts'
import type { Catalog, ListedLibrary } from '../../shared/search/catalog.ts'
import { transaction } from '../../shared/store/database.ts'
import type { HeldVersion } from '../jobs/job.ts'
import { forgetUsage } from './forget-usage.ts'
import { keptLater, keptSince } from './later-generations.ts'

/** A library of this install, as `/api/projects` lists it. */
export type Project = ListedLibrary & {
  sourceUrl: string
  commit: string
  imported: boolean
  private: boolean
  generated: boolean
}

/** A catalog that a parse writes, with everything at once. */
export type ProjectCatalog = Catalog &
  Pick<ParseCatalog, 'hold'> & {
    /** Ordered by id; the same list until a library changes. */
    projects(): readonly Project[]
    find(id: LibraryId): Project | undefined
    settings(id: LibraryId): SourceSettings
    versions(id: LibraryId): StoredVersion[]
    unowned(stored: string[], retiredBefore: Date): string[]
    /** Ids of the libraries and versions that serve these generations. */
    servedBy(generations: string[]): string[]
    /** Ids of the libraries that serve content in an older format. */
    outdated(format: number): string[]
    forget(generation: string): void
    /** `served` also where it was replaced or removed since; undefined where it is not known. */
    stateOf(generation: string): 'written' | 'served' | undefined
    /** `removed` go in the same write, unless they serve something else by then. */
    publish(facts: LibraryFacts, versions: NewVersion[], removed?: HeldVersion[]): void
    reserve(generation: string, job: JobId): void
    /** Switches the versions that serve a generation to a copy of it, and retires it. Throws if none serves it any more. */
    replace(id: LibraryId, held: StoredVersion, by: Pick<NewVersion, 'generation' | 'space' | 'format' | 'rules'>): void
    /** Removes a library, or the version that the id pins, and its counters. Answers the generations that nobody serves any more. */
    remove(id: LibraryId): string[]
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
  commit_id: string | null
  tokens: number | null
  snippets: number | null
  code_snippets: number | null
  updated_at: string | null
  tags: string | null
}

export function sqliteCatalog(db: DatabaseSync, now: () => Date): ProjectCatalog {
  const select = `
    SELECT l.*, v.commit_id, v.tokens, v.snippets, v.code_snippets, v.updated_at,
      (SELECT json_group_array(version) FROM (SELECT version FROM versions WHERE key = l.key AND version <> '' ORDER BY version)) AS tags
    FROM libraries l LEFT JOIN versions v ON v.key = l.key AND v.version = ''`
  const all = db.prepare(`${select} ORDER BY l.key`)
  const one = db.prepare(`${select} WHERE l.key = ?`)
  const served = db.prepare('SELECT generation, rules, model, dimensions FROM versions WHERE key = ? AND version = ?')
  const versionsOf = db.prepare(
    'SELECT version, ref, generation, commit_id AS "commit", tokens, snippets, code_snippets AS codeSnippets, updated_at AS updatedAt, model, dimensions, format, rules FROM versions WHERE key = ? ORDER BY updated_at, version',
  )
  const jobOf = db.prepare('SELECT job FROM generations WHERE name = ?')
  const held = new Set<string>()
  let revision = 0
  let listed: Project[] | undefined
  const changed = () => {
    revision += 1
    listed = undefined
  }
  /** Earlier releases imported ids that are not valid: nobody can ask for those libraries, and their ids are not shown. */
  const projects = () => {
    listed ??= (all.all() as Row[]).filter(({ id }) => isLibraryId(id)).map(toProject)
    return listed
  }
  const find = (id: LibraryId) => {
    const row = one.get(libraryKey(id)) as Row | undefined
    return row && toProject(row)
  }
  /** Unless another version still shares it. Returns whether it was retired. */
  const retire = (generation: string): boolean =>
    db
      .prepare(
        'UPDATE generations SET retired_at = ?, job = NULL WHERE name = ? AND NOT EXISTS (SELECT 1 FROM versions WHERE generation = name)',
      )
      .run(now().toISOString(), generation).changes > 0
  /** A refresh does not bring back what was deleted. */
  const unlist = (key: string, version: string) => {
    const settings = settingsOf(key)
    const versions = settings.versions?.filter((ref) => versionName(ref) !== version)
    const unwanted = [...new Set([...(settings.unwanted ?? []), version])]
    db.prepare('UPDATE libraries SET settings = ? WHERE key = ?').run(JSON.stringify({ ...settings, versions, unwanted }), key)
  }
  const forgetVersion = (key: string, version: string) => {
    db.prepare('DELETE FROM versions WHERE key = ? AND version = ?').run(key, version)
    db.prepare('DELETE FROM file_crashes WHERE key = ? AND version = ?').run(key, version)
    db.prepare('DELETE FROM llm_answers WHERE key = ? AND version = ?').run(key, version)
    forgetUsage(db, key, version)
  }
  const removeHeld = (key: string, versions: HeldVersion[]) => {
    for (const { version, generation } of versions) {
      if (served.get(key, version)?.generation !== generation) continue
      forgetVersion(key, version)
      retire(generation)
    }
  }
  const settingsOf = (key: string): SourceSettings => {
    const row = db.prepare('SELECT settings FROM libraries WHERE key = ?').get(key)
    return row ? JSON.parse(String(row.settings)) : {}
  }

  return {
    async listed() {
      return { libraries: projects(), revision }
    },
    async served(id) {
      const project = find(id)
      if (!project) throw unknown(id)
      const row = served.get(libraryKey(id), id.version ?? '') as ServedRow | undefined
      if (!row) throw unknownVersion(id, project)
      return {
        library: project,
        version: id.version,
        generation: row.generation,
        rules: JSON.parse(row.rules),
        space: spaceOf(row),
      }
    },
    projects,
    find,
    settings: (id) => settingsOf(libraryKey(id)),
    versions: (id) =>
      versionsOf.all(libraryKey(id)).map(({ model, dimensions, codeSnippets, rules, ...row }) => {
        const counted = codeSnippets === null ? {} : { codeSnippets }
        return { ...row, ...counted, rules: JSON.parse(String(rules)), space: spaceOf({ model, dimensions }) } as StoredVersion
      }),
    reserve(generation, job) {
      // A job that goes on with what it has written has reserved it before.
      db.prepare('INSERT OR IGNORE INTO generations (name, job) VALUES (?, ?)').run(generation, job)
    },
    hold(generation, work) {
      const release = () => held.delete(generation)
      held.add(generation)
      work.then(release, release)
    },
    publish(facts, versions, removed = []) {
      const key = libraryKey(idOf(facts.id))
      transaction(db, () => {
        db.prepare(`
          INSERT INTO libraries (key, id, title, description, branch, source_url, stars, trust_score, aliases, settings, private, imported, generated)
          VALUES (?, ?, ?, ?, ?, ?, ?, -1, ?, ?, ?, ?, ?)
          ON CONFLICT (key) DO UPDATE SET id = excluded.id, title = excluded.title, description = excluded.description, branch = excluded.branch,
            source_url = excluded.source_url, aliases = excluded.aliases, settings = excluded.settings, private = excluded.private,
            imported = excluded.imported, generated = excluded.generated
        `).run(
          key,
          facts.id,
          facts.title,
          facts.description,
          facts.branch,
          facts.sourceUrl,
          facts.stars ?? -1,
          JSON.stringify(facts.aliases),
          JSON.stringify(facts.settings),
          facts.private ? 1 : 0,
          facts.imported ? 1 : 0,
          facts.generated ? 1 : 0,
        )
        for (const each of versions) {
          const before = served.get(key, each.version)
          db.prepare(
            'INSERT OR REPLACE INTO versions (key, version, ref, generation, commit_id, tokens, snippets, code_snippets, rules, updated_at, model, dimensions, format) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ).run(
            key,
            each.version,
            each.ref,
            each.generation,
            each.commit,
            each.tokens,
            each.snippets,
            each.codeSnippets ?? null,
            JSON.stringify(each.rules),
            now().toISOString(),
            each.space?.model ?? null,
            each.space?.dimensions ?? null,
            each.format ?? 1,
          )
          db.prepare('UPDATE generations SET job = NULL, retired_at = NULL WHERE name = ?').run(each.generation)
          if (before && before.generation !== each.generation) retire(String(before.generation))
        }
        removeHeld(key, removed)
      })
      changed()
    },
    replace(id, { generation: before }, { generation, space, format, rules }) {
      const key = libraryKey(id)
      transaction(db, () => {
        const { changes } = db
          .prepare(
            'UPDATE versions SET generation = ?, model = ?, dimensions = ?, format = ?, rules = ? WHERE key = ? AND generation = ?',
          )
          .run(generation, space?.model ?? null, space?.dimensions ?? null, format ?? 1, JSON.stringify(rules), key, before)
        if (changes === 0) throw new AppError('not_found', `The content of ${shownId(id)} was replaced or removed meanwhile.`)
        retire(before)
        db.prepare('UPDATE generations SET job = NULL WHERE name = ?').run(generation)
      })
      changed()
    },
    remove(id) {
      const key = libraryKey(id)
      const removed = versionsOf.all(key).filter((row) => id.version === undefined || row.version === id.version)
      const generations = [...new Set(removed.map((row) => String(row.generation)))]
      const gone = transaction(db, () => {
        if (id.version === undefined) {
          db.prepare('DELETE FROM libraries WHERE key = ?').run(key)
          db.prepare('DELETE FROM file_crashes WHERE key = ?').run(key)
          db.prepare('DELETE FROM llm_answers WHERE key = ?').run(key)
          forgetUsage(db, key)
        } else {
          forgetVersion(key, id.version)
          unlist(key, id.version)
        }
        return generations.filter(retire)
      })
      changed()
      return gone
    },
    unowned(stored, retiredBefore) {
      const kept = db.prepare(`
        SELECT name FROM generations g WHERE name IN (SELECT generation FROM versions)
          OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = g.job AND (j.state IN ('parsing', 'finalizing') OR j.state = 'queued' AND j.kind <> 'parse'))
          OR g.retired_at > :retiredBefore
        UNION ALL ${keptLater}`)
      const names = new Set([
        ...held,
        ...kept.all({ retiredBefore: retiredBefore.toISOString(), keptSince: keptSince(now()) }).map((row) => String(row.name)),
      ])
      const reserved = db.prepare('SELECT name FROM generations').all()
      return [...new Set([...stored, ...reserved.map((row) => String(row.name))])].filter((each) => !names.has(each))
    },
    servedBy: (generations) =>
      db
        .prepare(
          "SELECT id || iif(version = '', '', '@' || version) AS id FROM libraries JOIN versions USING (key) WHERE generation IN (SELECT value FROM json_each(?)) ORDER BY 1",
        )
        .all(JSON.stringify(generations))
        .map((row) => String(row.id)),
    outdated: (format) =>
      db
        .prepare('SELECT DISTINCT id FROM libraries JOIN versions USING (key) WHERE format < ? ORDER BY key')
        .all(format)
        .map((row) => String(row.id))
        .filter(isLibraryId),
    stateOf(generation) {
      const row = jobOf.get(generation)
      return row && (row.job === null ? 'served' : 'written')
    },
    forget(generation) {
      db.prepare('DELETE FROM generations WHERE name = ?').run(generation)
      db.prepare('DELETE FROM later_generations WHERE name = ?').run(generation)
    },
  }
}

type ServedRow = { generation: string; rules: string; model: unknown; dimensions: unknown }

const spaceOf = ({ model, dimensions }: { model?: unknown; dimensions?: unknown }): VectorSpace | undefined =>
  typeof model === 'string' ? { model, dimensions: Number(dimensions) } : undefined

const unknown = ({ owner, repo }: LibraryId): AppError =>
  new AppError(
    'library_not_found',
    `${shownId({ owner, repo })} is not in this install. Search for its name, or add its repository.`,
  )

function unknownVersion(id: LibraryId, project: Project): AppError {
  const there =
    project.versions.length > 0 ? `There are: ${project.versions.join(', ')}.` : 'It has no versions beside its default content.'
  const without = project.state === 'finalized' ? ' Leave the version out for the default content.' : ''
  if (id.version === undefined) return new AppError('tag_not_found', `${project.id} has no default content. ${there}`)
  return new AppError('tag_not_found', `${project.id} has no version "${id.version.slice(0, 100)}". ${there}${without}`)
}

function toProject(row: Row): Project {
  const state: LibraryState = row.commit_id === null && row.tags === '[]' ? 'initial' : 'finalized'
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    branch: row.branch,
    lastUpdateDate: row.updated_at ?? new Date(0).toISOString(),
    state,
    totalTokens: row.tokens ?? 0,
    totalSnippets: row.snippets ?? 0,
    codeSnippets: row.code_snippets ?? (row.commit_id === null ? 0 : undefined),
    stars: row.stars,
    trustScore: row.trust_score,
    benchmarkScore: 0,
    versions: JSON.parse(row.tags ?? '[]'),
    source: row.imported ? 'Imported' : row.private ? 'Local (Private)' : 'Local',
    aliases: JSON.parse(row.aliases),
    sourceUrl: row.source_url,
    commit: row.commit_id ?? '',
    imported: row.imported === 1,
    private: row.private === 1,
    generated: row.generated === 1,
  }
}

const idOf = (id: string): LibraryId => {
  const [, owner = '', repo = ''] = id.split('/')
  return { owner, repo }
}
