/** A host may ask for a longer pause of a job; it gets at most this one. */
export const maxPauseMs = 60_000
/** The longest pause of a job that waits for its provider. */
export const maxWaitMs = 600_000
