/** Questions by the upper bound of their answer time in ms. The bounds never change, so the counts of days and libraries can be added up. */
export type AnswerTimes = Record<number, number>

/** The times in ms that half, 95 % and 99 % of the answers took at most. */
type AnswerPercentiles = { p50: number; p95: number; p99: number }

/** The series R10 of preferred numbers (ISO 3), rounded: ten steps per decade, each about a quarter above the one before. */
const steps = [10, 13, 16, 20, 25, 32, 40, 50, 63, 80]
const maxAnswerMs = 60_000
const bounds = [
  ...[1, 2, 3, 4, 5, 6, 8],
  ...[1, 10, 100, 1_000].flatMap((decade) => steps.map((step) => step * decade)).filter((bound) => bound < maxAnswerMs),
  maxAnswerMs,
]

/** The bound that a time is counted under. Longer times than a minute are counted as a minute. */
export const boundOf = (ms: number): number => bounds.find((bound) => bound >= ms) ?? maxAnswerMs

export function sumTimes(each: Iterable<AnswerTimes>): AnswerTimes {
  const sums: AnswerTimes = {}
  for (const times of each)
    for (const [bound, count] of Object.entries(times)) sums[Number(bound)] = (sums[Number(bound)] ?? 0) + count
  return sums
}

/** Percentiles by nearest rank, interpolated between the bounds around it. Null without questions. */
export function percentilesOf(times: AnswerTimes): AnswerPercentiles | null {
  const count = Object.values(times).reduce((sum, count) => sum + count, 0)
  if (count === 0) return null
  const at = (share: number) => timeAt(times, Math.ceil(share * count))
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** The time of the answer with this rank, the fastest being 1. */
function timeAt(times: AnswerTimes, rank: number): number {
  let below = 0
  let lower = 0
  for (const bound of bounds) {
    const count = times[bound] ?? 0
    if (below + count >= rank) return Math.ceil(lower + ((bound - lower) * (rank - below)) / count)
    below += count
    lower = bound
  }
  return maxAnswerMs
}
