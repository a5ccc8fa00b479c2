/** Says whether a pattern speaks of a path, given segment by segment from the root of the repository. */
export type PathMatcher = (segments: string[]) => boolean

/**
 * Matches one name by a pattern without slashes: `*` stands for any characters, `?` for one, all else for itself.
 * Patterns come from strangers' repositories: the time is at most the product of both lengths.
 */
export function nameMatcher(pattern: string): (name: string) => boolean {
  if (!/[*?]/.test(pattern)) return (name) => name === pattern
  return pattern.includes('?') ? (name) => matchesName(pattern, name) : partsMatcher(pattern.split(/\*+/))
}

/** The parts between stars, each found by the runtime's own search: what strangers write to be slow is not. */
function partsMatcher(parts: string[]): (name: string) => boolean {
  const [first = '', ...middle] = parts
  const last = middle.pop() ?? ''
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
    const end = name.length - last.length
    let from = first.length
    for (const part of middle) {
      const at = name.indexOf(part, from)
      if (at < 0 || at + part.length > end) return false
      from = at + part.length
    }
    return true
  }
}

/** Matches a whole path segment by segment; `**` stands for any number of segments, none included. */
export function pathMatcher(pattern: string): PathMatcher {
  const wanted = segmentsOf(pattern).map((segment) => (segment === '**' ? segment : nameMatcher(segment)))
  return (segments) => matchesSegments(wanted, segments)
}

/** A pattern's segments, without what does not move: `./`, a leading `/`, a trailing `/`. */
export const segmentsOf = (pattern: string): string[] => pattern.split('/').filter((segment) => segment !== '' && segment !== '.')

/** Goes back to the last `*` only, which is enough and never slow. */
function matchesName(pattern: string, name: string): boolean {
  let at = 0
  let star = -1
  let starChar = 0
  for (let char = 0; char < name.length; ) {
    if (pattern[at] === '*') {
      star = at
      starChar = char
      at += 1
    } else if (pattern[at] === '?' || pattern[at] === name[char]) {
      at += 1
      char += 1
    } else if (star >= 0) {
      at = star + 1
      starChar += 1
      char = starChar
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}

/** Goes back to the last `**` only, as with names. */
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
