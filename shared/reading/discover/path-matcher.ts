/** Whether a pattern matches a path, given segment by segment from the root of the repository. */
export type PathMatcher = (segments: string[]) => boolean

/** Matches one name by a pattern without slashes: `*` stands for any characters, `?` for one, all else for itself. */
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

/** What is between two stars of a pattern. `find` returns -1 if the part is not in the name. */
type Part = { length: number; isAt(name: string, at: number): boolean; find(name: string, from: number): number }

/** The runtime searches for the longest text between two `?`, which is fast for any text and name. */
function partOf(part: string): Part {
  if (!part.includes('?')) {
    return { length: part.length, isAt: (name, at) => name.startsWith(part, at), find: (name, from) => name.indexOf(part, from) }
  }
  const texts = [...part.matchAll(/[^?]+/g)].map((match) => ({ text: match[0], offset: match.index }))
  const longest = texts.reduce((best, each) => (each.text.length > best.text.length ? each : best), { text: '', offset: 0 })
  const others = texts.filter((each) => each !== longest)
  const { length } = part
  const isAt = (name: string, at: number, among = texts) =>
    at + length <= name.length && among.every(({ text, offset }) => name.startsWith(text, at + offset))
  return {
    length,
    isAt,
    find(name, from) {
      for (let at = from - 1; ; ) {
        at = name.indexOf(longest.text, at + 1 + longest.offset) - longest.offset
        if (at < from || at + length > name.length) return -1
        if (isAt(name, at, others)) return at
      }
    },
  }
}

/** Matches a whole path segment by segment; `**` stands for any number of segments, none included. */
export function pathMatcher(pattern: string): PathMatcher {
  const wanted = segmentsOf(pattern).map((segment) => (segment === '**' ? segment : nameMatcher(segment)))
  return (segments) => matchesSegments(wanted, segments)
}

/** A pattern's segments, without what does not move: `./`, a leading `/`, a trailing `/`. */
export const segmentsOf = (pattern: string): string[] => pattern.split('/').filter((segment) => segment !== '' && segment !== '.')

/** Goes back to the last `**` only, which is enough and never slow. */
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
