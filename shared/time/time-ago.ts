const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** The distance of a time from `now`, both in ms, in the largest unit of which it is at least one: "3 hours ago", "in 2 months", "now". */
export function timeAgo(time: number, now: number, format: Intl.RelativeTimeFormat): string {
  const seconds = (time - now) / 1000
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit)
  }
  return format.format(0, 'second')
}
