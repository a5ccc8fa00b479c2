import type { DatabaseSync } from 'node:sqlite'
import type { RepositoryReaders } from '../../../shared/reading/git/repository-readers.ts'

/** The answer of a git host about who may read the repository of a library. `host` is its name in the settings. */
export type HostAnswer = { host: string; readers: RepositoryReaders; answeredAt: Date }

/** The last answers of git hosts, by the key of a library. */
export type HostReaders = {
  of(key: string): HostAnswer | undefined
  /** When the host was asked last, with or without an answer. */
  askedAt(key: string): Date | undefined
  /** Without an answer, the last one stays. */
  asked(key: string, at: Date, answer?: Omit<HostAnswer, 'answeredAt'>): void
  /** Changes with the answers. */
  revision(): number
  /** Deletes the answers about all libraries but these. */
  keepOnly(keys: readonly string[]): void
}

export function hostReaders(db: DatabaseSync): HostReaders {
  const select = db.prepare(
    'SELECT host, readers, answered_at AS answeredAt, asked_at AS askedAt FROM host_readers WHERE key = ?',
  )
  const noteAsked = db.prepare(
    'INSERT INTO host_readers (key, asked_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET asked_at = excluded.asked_at',
  )
  const store = db.prepare('UPDATE host_readers SET host = ?, readers = ?, answered_at = ? WHERE key = ?')
  const sweep = db.prepare('DELETE FROM host_readers WHERE key NOT IN (SELECT value FROM json_each(?))')
  let revision = 0
  return {
    of(key) {
      const row = select.get(key)
      if (!row || row.readers === null) return undefined
      return { host: String(row.host), readers: JSON.parse(String(row.readers)), answeredAt: new Date(String(row.answeredAt)) }
    },
    askedAt(key) {
      const row = select.get(key)
      return row && new Date(String(row.askedAt))
    },
    asked(key, at, answer) {
      const before = select.get(key)
      noteAsked.run(key, at.toISOString())
      if (!answer) return
      const readers = JSON.stringify(answer.readers)
      store.run(answer.host, readers, at.toISOString(), key)
      if (before?.host !== answer.host || before.readers !== readers) revision += 1
    },
    revision: () => revision,
    keepOnly: (keys) => void sweep.run(JSON.stringify(keys)),
  }
}
