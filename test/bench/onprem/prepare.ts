import { mkdir } from 'node:fs/promises'
import { sqliteKeys } from '../../../onprem/accounts/key-store.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'

/** Creates a data directory with these settings and returns an admin key. */
export async function prepare(dataDir: string, settings: Record<string, unknown>): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  const db = openDatabase(dataDir)
  sqliteSettings(db, secretBox(dataDir)).change(settings)
  const { key } = sqliteKeys(db, () => new Date()).create({ name: 'bench', role: 'admin' })
  db.close()
  return key
}
