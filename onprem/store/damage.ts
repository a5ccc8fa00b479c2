import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDamaged } from '../../shared/store/database.ts'
import { sessionSecret } from '../accounts/session-secret.ts'

/** What of the data directory is found to be damaged, as sentences: the server is not ready then. */
export type Damage = {
  /** Remembers an error of a damaged database. */
  note(error: unknown): void
  found(): string[]
}

export function damageIn(dataDir: string): Damage {
  let database: string | undefined
  const sessionsKey = join(dataDir, 'sessions.key')
  const unreadableSessions = (): string[] => {
    try {
      if (existsSync(sessionsKey)) sessionSecret(dataDir)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  }
  return {
    note(error) {
      if (isDamaged(error)) database ??= error.message
    },
    found: () => [...(database === undefined ? [] : [database]), ...unreadableSessions()],
  }
}
