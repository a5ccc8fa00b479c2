const count = new Intl.NumberFormat()
const percent = new Intl.NumberFormat(undefined, { style: 'percent' })
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** 318204 → 318,204 in the locale of the reader. */
export const formatCount = (value: number): string => count.format(value)

/** 318204 → 318K. */
export const formatShort = (value: number): string => short.format(value)

/** 0.62 → 62%. */
export const formatShare = (share: number): string => percent.format(share)

/** 1 → "1 snippet", 2 → "2 snippets". */
export const countOf = (value: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(value)} ${value === 1 ? noun : plural}`

/** 1204 → 1.2 kB. A kB has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} ${units[unit]}`
}

/** 83_000 → "1 min 23 s". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return ms < 1000 ? `${Math.round(ms)} ms` : `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
