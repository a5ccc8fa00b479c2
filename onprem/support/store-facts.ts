import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { folderSize } from './folder-size.ts'

export type StoreFacts = {
  sqlite: string
  /** Schema version of the database. */
  schema: number
  /** Rows per table. Tables with vectors are omitted, because counting them takes long. */
  rows: Record<string, number>
  /** The figures of each served generation, and its bytes on disk. */
  generations: { library: string; version: string; generation: string; snippets: number; tokens: number; sizeBytes: number }[]
  /** Bytes of the files and folders in DATA_DIR, by name. */
  files: Record<string, number>
}

/** Temporary clones can have a million files, so they are not measured. */
const clones = 'clones'

/** Sizes and counts of the stores, with names but without content. */
export const storeFacts = (db: DatabaseSync, dataDir: string) => async (): Promise<StoreFacts> => {
  const versions = db
    .prepare('SELECT key AS library, version, generation, snippets, tokens FROM shown_versions ORDER BY key, version')
    .all() as Omit<StoreFacts['generations'][number], 'sizeBytes'>[]
  const generations: StoreFacts['generations'] = []
  for (const row of versions) {
    const tables = [`${row.generation}.lance`, `${row.generation}.statistics.lance`]
    const sizes = await Promise.all(tables.map((table) => folderSize(join(dataDir, 'snippets', table))))
    generations.push({ ...row, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) })
  }
  const files: Record<string, number> = {}
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (name !== clones) files[name] = await folderSize(join(dataDir, name))
  }
  return {
    sqlite: String(db.prepare('SELECT sqlite_version() AS version').get()?.version),
    schema: Number(db.prepare('PRAGMA user_version').get()?.user_version),
    rows: rowsOf(db),
    generations,
    files,
  }
}

function rowsOf(db: DatabaseSync): Record<string, number> {
  const tables = db
    .prepare(
      `SELECT name FROM sqlite_schema AS s WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(s.name) AS c WHERE c.type = 'BLOB') ORDER BY name`,
    )
    .all()
    .map(({ name }) => String(name))
  return Object.fromEntries(
    tables.map((name) => [name, Number(db.prepare(`SELECT count(*) AS rows FROM "${name}"`).get()?.rows)]),
  )
}
