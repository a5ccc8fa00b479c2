import type { ReadResult } from './read-document.ts'

export type Unread = Extract<ReadResult, { skipped: string }>

export type TimeLimit = {
  timeMs: number
  /** What is said of a file that takes longer. */
  late: Unread
}

/** How long the files of one version may take, so that however many are hostile the version is done within the hour. */
export type TimeLimits = {
  /** The time of the next file, or why it is not read. */
  forNext(): TimeLimit | Unread
  /** No reader got through a file. */
  lose(): void
  /** Another version begins. */
  renew(): void
}

/**
 * Files that no reader got through: after the first number a file has a tenth of the time, after the second none is read any more. With
 * 20 s a file that is 37 minutes, also for a single reader.
 */
const hurriedAfter = 10
const givenUpAfter = 1_000
const leftOut: Unread = {
  skipped: `it was not read, since ${givenUpAfter.toLocaleString('en')} files before it could not be parsed within their limits`,
  unread: 'left out',
}

export function timeLimits(limitMs: number): TimeLimits {
  let lost = 0
  return {
    forNext() {
      if (lost >= givenUpAfter) return leftOut
      const hurried = lost >= hurriedAfter
      const timeMs = hurried ? limitMs / 10 : limitMs
      const why = hurried ? `, the limit after ${hurriedAfter} files that could not be parsed within theirs` : ''
      return { timeMs, late: { skipped: `it took longer than ${timeMs / 1000} s to parse${why}`, unread: 'late' } }
    },
    lose() {
      lost += 1
    },
    renew() {
      lost = 0
    },
  }
}
