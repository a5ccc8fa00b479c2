import type { ReadResult } from './read-document.ts'

export type Skip = Extract<ReadResult, { skipped: string }>

export type TimeLimit = {
  timeMs: number
  /** The result for a file that takes longer. */
  timedOut: Skip
}

/** Limits the time for the files of one version, so that a version with any number of hostile files finishes within the hour. */
export type TimeLimits = {
  /** The time limit of the next file, or the reason not to read it. */
  next(): TimeLimit | Skip
  /** Counts a file that could not be read within its limits. */
  countUnread(): void
  /** Starts another version. */
  reset(): void
}

/**
 * Counts of files that could not be read: after the first, each file has a tenth of the time; after the second, no more files are read.
 * At 20 s per file that is 37 minutes, even with a single reader.
 */
const shortenAfter = 10
const stopAfter = 1_000
const notTried: Skip = {
  skipped: `it was not read, since ${stopAfter.toLocaleString('en')} files before it could not be parsed within their limits`,
  unread: 'not tried',
}

export function timeLimits(limitMs: number): TimeLimits {
  let unread = 0
  return {
    next() {
      if (unread >= stopAfter) return notTried
      const isShortened = unread >= shortenAfter
      const timeMs = isShortened ? limitMs / 10 : limitMs
      const why = isShortened ? `, the limit after ${shortenAfter} files that could not be parsed within theirs` : ''
      return { timeMs, timedOut: { skipped: `it took longer than ${timeMs / 1000} s to parse${why}`, unread: 'timed out' } }
    },
    countUnread() {
      unread += 1
    },
    reset() {
      unread = 0
    },
  }
}
