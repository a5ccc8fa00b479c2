import { asDamage, isDamaged } from '../../../shared/store/database.ts'

/** The damage that was found in the data directory, as sentences. While there is any, the server is not ready. */
export type Damage = {
  /** Remembers an error of a damaged database; ignores any other error. */
  note(error: unknown): void
  /** Returns the result of `read`. If the database is damaged, notes it and returns `otherwise`. */
  readOr<T>(read: () => T, otherwise: T): T
  messages(): string[]
}

/** `checkSessionSecret` throws if the key file of the sessions is unreadable. */
export function trackDamage(checkSessionSecret: () => void): Damage {
  let database: string | undefined
  const unreadableSessions = (): string[] => {
    try {
      checkSessionSecret()
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
    messages: () => [...(database === undefined ? [] : [database]), ...unreadableSessions()],
  }
}
