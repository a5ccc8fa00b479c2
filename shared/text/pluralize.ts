/** A number with its noun: `1 file`, `3 files`. */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The same with thousands separators: `1,200 files`. */
export const countOf = (count: number, noun: string): string => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
