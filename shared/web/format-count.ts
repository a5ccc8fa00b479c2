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
