import type { DatabaseSync } from 'node:sqlite'

const tables = ['usage_days', 'usage_topics', 'usage_countries', 'usage_users']

/** Deletes the counters of a library with all its versions, or of one version (`key@version`). Checkpoints stay, so that nothing counts twice. */
export function deleteUsage(db: DatabaseSync, key: string, version?: string): void {
  const [where, values] =
    version === undefined
      ? ["id = :key OR id > :key || '@' AND id < :key || 'A'", { key }]
      : ['id = :id', { id: `${key}@${version}` }]
  for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE ${where}`).run(values as Record<string, string>)
}
