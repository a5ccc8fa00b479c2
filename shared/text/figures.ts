/** A number with its noun: `1 file`, `3 files`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`

/** The same with thousands separators: `1,200 files`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`

type Parsed = { filesRead: number; filesKept?: number; snippetsBefore: number; snippetsAfter: number }

/** True if a parse that is done has found no new commit. */
export const isUnchanged = ({ filesRead, filesKept = 0, snippetsBefore, snippetsAfter }: Parsed): boolean =>
  filesRead + filesKept === 0 && snippetsBefore === snippetsAfter

/** `165 files read`, or after a change `11 files read, 154 unchanged files kept`. */
export function filesReadAndKept({ filesRead, filesKept = 0 }: Pick<Parsed, 'filesRead' | 'filesKept'>): string {
  const read = `${countOf(filesRead, 'file')} read`
  return filesKept === 0 ? read : `${read}, ${countOf(filesKept, 'unchanged file')} kept`
}

/** `by meaning: 62 %` while some snippets have no vectors; undefined if all have. */
export function byMeaning(meaning: { done: number; total: number } | undefined): string | undefined {
  if (!meaning || meaning.done === meaning.total) return undefined
  return `by meaning: ${Math.floor((100 * meaning.done) / meaning.total)} %`
}

const tenths = (value: number): string => value.toFixed(1)

/** `312 MB`. A MB has 1,000,000 bytes. */
export const megabytes = (bytes: number, round: (megabytes: number) => number | string = Math.round): string =>
  `${round(bytes / 1e6)} MB`

/** `2.5 MB`, `312 MB`. */
export const fileSize = (bytes: number): string => megabytes(bytes, bytes < 10e6 ? tenths : Math.round)

/** `312 MB`, `1.5 GB`. Rounds down below a GB. */
export const diskSize = (bytes: number): string => (bytes < 1e9 ? megabytes(bytes, Math.floor) : `${tenths(bytes / 1e9)} GB`)

/** The limits of a repository are powers of two: 512 MiB are `512 MB`. */
export const limitSize = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`
