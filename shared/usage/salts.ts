/**
 * The random salts under which users are told apart, one a day. A salt that could be derived or restored would let its holder recover
 * every address, so they are kept apart from all else, without backups, and deleted.
 */
export type Salts = {
  /** 32 random bytes, the same for all who ask for that day (`YYYY-MM-DD`, UTC). */
  saltOf(day: string): Promise<Uint8Array>
  /** Makes the salt of tomorrow, so that no request waits for it. */
  makeAhead(): Promise<void>
  /** Deletes the salts of the day before yesterday and of all days before, in memory too. */
  forgetOld(): Promise<void>
}
