import type { DatabaseSync } from 'node:sqlite'

const tables = ['usage_days', 'usage_topics', 'usage_countries', 'usage_users', 'usage_unanswered']

/** Deletes the counters of a library with all its versions, or of one version (`key@version`). Checkpoints are kept, so that nothing is counted twice. */
export function deleteUsage(db: DatabaseSync, key: string, version?: string): void {
  const [condition, values] =
    version === undefined
      ? ["id = :key OR id > :key || '@' AND id < :key || 'A'", { key }]
      : ['id = :id', { id: `${key}@${version}` }]
  for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE ${condition}`).run(values as Record<string, string>)
}
