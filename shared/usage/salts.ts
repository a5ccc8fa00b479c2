/**
 * The random salts for the hashes of users, one per day. Anyone with a salt could recover every address, so salts are stored separately, never
 * backed up, and deleted.
 */
export type Salts = {
  /** 32 random bytes, the same for every call with that day (`YYYY-MM-DD`, UTC). */
  saltOf(day: string): Promise<Uint8Array>
  /** Creates the salt of tomorrow, so that no request waits for it. */
  makeAhead(): Promise<void>
  /** Deletes all salts older than yesterday's, also from memory. */
  forgetOld(): Promise<void>
  /** Deletes the salts up to today's, so that no hash can be traced back to its user. Users of today are counted again. */
  erase(): Promise<void>
}
