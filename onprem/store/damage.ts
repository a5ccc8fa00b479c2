import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asDamage, isDamaged } from '../../shared/store/database.ts'
import { sessionSecret } from '../accounts/session-secret.ts'

/** What of the data directory is found to be damaged, as sentences: the server is not ready then. */
export type Damage = {
  /** Remembers an error of a damaged database; any other error is ignored. */
  note(error: unknown): void
  /** Returns what `read` returns. If that meets a damaged database, notes it and returns `otherwise`. */
  readOr<T>(read: () => T, otherwise: T): T
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
  const note = (thrown: unknown): boolean => {
    const error = asDamage(thrown)
    if (!isDamaged(error)) return false
    database ??= error.message
    return true
  }
  return {
    note,
    readOr(read, otherwise) {
      try {
        return read()
      } catch (error) {
        if (!note(error)) throw error
        return otherwise
      }
    },
    found: () => [...(database === undefined ? [] : [database]), ...unreadableSessions()],
  }
}
