/** True if a pattern matches a path, given as its segments from the root of the repository. */
export type PathMatcher = (segments: string[]) => boolean

/** Matches one name by a pattern without slashes: `*` matches any characters, `?` one character. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  if (!/[*?]/.test(pattern)) return (name) => name === pattern
  const [first = partOf(''), ...middle] = pattern.split(/\*+/).map(partOf)
  const last = middle.pop()
  if (last === undefined) return (name) => name.length === first.length && first.isAt(name, 0)
  return (name) => {
    const end = name.length - last.length
    if (end < first.length || !first.isAt(name, 0) || !last.isAt(name, end)) return false
    let from = first.length
    for (const part of middle) {
      const at = part.find(name, from)
      if (at < 0 || at + part.length > end) return false
      from = at + part.length
    }
    return true
  }
}

/** The part of a pattern between two stars. `find` returns -1 if the part is not in the name. */
type Part = { length: number; isAt(name: string, at: number): boolean; find(name: string, from: number): number }

/** Searches for the longest text between two `?` with `indexOf`, which is fast for any text and name. */
function partOf(part: string): Part {
  if (!part.includes('?')) {
    return { length: part.length, isAt: (name, at) => name.startsWith(part, at), find: (name, from) => name.indexOf(part, from) }
  }
  const texts = [...part.matchAll(/[^?]+/g)].map((match) => ({ text: match[0], offset: match.index }))
  const anchor = texts.reduce((best, each) => (each.text.length > best.text.length ? each : best), { text: '', offset: 0 })
  const others = texts.filter((each) => each !== anchor)
  const { length } = part
  const isAt = (name: string, at: number, among = texts) =>
    at + length <= name.length && among.every(({ text, offset }) => name.startsWith(text, at + offset))
  return {
    length,
    isAt,
    find(name, from) {
      for (let at = from - 1; ; ) {
        at = name.indexOf(anchor.text, at + 1 + anchor.offset) - anchor.offset
        if (at < from || at + length > name.length) return -1
        if (isAt(name, at, others)) return at
      }
    },
  }
}

/** Matches a whole path segment by segment; `**` matches any number of segments, including none. */
export function pathMatcher(pattern: string): PathMatcher {
  const wanted = segmentsOf(pattern).map((segment) => (segment === '**' ? segment : nameMatcher(segment)))
  return (segments) => matchesSegments(wanted, segments)
}

/** The segments of a pattern, without `./` and leading or trailing `/`. */
export const segmentsOf = (pattern: string): string[] => pattern.split('/').filter((segment) => segment !== '' && segment !== '.')

/** Backtracks to the last `**` only, which suffices. The time is at most the product of the lengths of pattern and path. */
function matchesSegments(wanted: ('**' | ((name: string) => boolean))[], names: string[]): boolean {
  let at = 0
  let star = -1
  let starName = 0
  for (let name = 0; name < names.length; ) {
    const want = wanted[at]
    if (want === '**') {
      star = at
      starName = name
      at += 1
    } else if (want?.(names[name] ?? '')) {
      at += 1
      name += 1
    } else if (star >= 0) {
      at = star + 1
      starName += 1
      name = starName
    } else return false
  }
  while (wanted[at] === '**') at += 1
  return at === wanted.length
}
