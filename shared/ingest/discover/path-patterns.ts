import picomatch from 'picomatch'

/** Says whether a pattern speaks of a path from the root of the repository. */
export type PathMatcher = (path: string) => boolean

const longestPattern = 255
const mostWildcards = 3

/**
 * Why a pattern is refused, or undefined. A regular expression made of a segment with many wildcards, or with groups, can
 * take minutes on one name: patterns come from strangers' repositories, so such are not compiled at all.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `a pattern has at most ${longestPattern} characters`
  if (/[()|]/.test(pattern)) return 'a pattern holds no parentheses and no |'
  const wildcards = pattern.split('/').map((segment) => segment.match(/\*+|\{/g)?.length ?? 0)
  if (Math.max(...wildcards) > mostWildcards) return `a pattern has at most ${mostWildcards} wildcards between slashes`
  return undefined
}

/** Matches one name by a glob without slashes. A refused pattern stands for the name that is spelled like it. */
export function nameMatcher(glob: string): (name: string) => boolean {
  if (patternProblem(glob) !== undefined) return (name) => name === glob
  return picomatch(glob, { dot: true, noextglob: true, nonegate: true })
}

/** Matches a whole path segment by segment; `**` stands for any number of segments, none included. */
export function pathMatcher(pattern: string): PathMatcher {
  const wanted = segmentsOf(pattern).map((segment) => (segment === '**' ? segment : nameMatcher(segment)))
  return (path) => matchesSegments(wanted, path.split('/'))
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
