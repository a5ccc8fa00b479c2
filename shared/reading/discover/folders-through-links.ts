import { nameMatcher, pathMatcher } from './path-matcher.ts'

/** A link to a folder of the same clone; both are paths from the root. */
export type FolderLink = { path: string; target: string }

/** Patterns that are added to those of a selection. Links beyond that are reported as not read. */
const maxAdded = 100

/**
 * The folders that each pattern names: itself, and those to which links lead, also from one to the next. `docs/api` is also
 * `packages/core/docs/api` if `docs` leads to `packages/core/docs`. A link inside a folder that leads to that folder is not followed.
 */
export function foldersThroughLinks(folders: string[][], links: FolderLink[]): string[][][] {
  let left = maxAdded
  return folders.map((pattern) => {
    const patterns = throughLinks(pattern, links, left)
    left -= patterns.length - 1
    return patterns
  })
}

function throughLinks(pattern: string[], links: FolderLink[], maxMore: number): string[][] {
  const patterns = [pattern]
  const covers = (path: string[]) => patterns.some((each) => pathMatcher([...each, '**'].join('/'))(path))
  for (const each of patterns) {
    const below = [...each, '**']
    for (const { path, target } of links) {
      if (patterns.length > maxMore) return patterns
      const rests = restsBelow(below, path.split('/'))
      const isWhole = rests.some((rest) => rest.length === 0)
      const to = segmentsIn(target)
      if (isWhole && !isAround(target, path) && !covers(to)) patterns.push(to)
      if (isWhole) continue
      for (const rest of rests) {
        const added = [...to, ...rest.slice(0, -1)]
        if (!patterns.some((pattern) => pattern.join('/') === added.join('/'))) patterns.push(added)
      }
    }
  }
  return patterns
}

/** The paths that each pattern of excluded folders also names. The exclusion of a link does not exclude its target. */
export function exclusionsThroughLinks(patterns: string[][], links: FolderLink[]): string[][][] {
  let left = maxAdded
  return patterns.map((pattern) => {
    const added: string[][] = []
    // A name or `**` is looked for everywhere.
    if (pattern.length < 2 || pattern[0] === '**') return added
    for (const { path, target } of links) {
      if (added.length >= left) break
      const rests = restsBelow(pattern, path.split('/')).filter((rest) => rest.length > 0)
      added.push(...rests.map((rest) => [...segmentsIn(target), ...rest]))
    }
    left -= added.length
    return added
  })
}

/** True if a folder holds the path. */
export const isAround = (folder: string, path: string): boolean => folder === '' || path.startsWith(`${folder}/`)

const segmentsIn = (path: string): string[] => (path === '' ? [] : path.split('/'))

/** The rests of a pattern for paths below a folder. Empty if it matches nothing there. */
function restsBelow(pattern: string[], folder: string[]): string[][] {
  let at = entered(pattern, [0])
  for (const name of folder) {
    const next = [...at].flatMap((i) => {
      const want = pattern[i]
      if (want === undefined) return []
      if (want === '**') return [i]
      return nameMatcher(want)(name) ? [i + 1] : []
    })
    if (next.length === 0) return []
    at = entered(pattern, next)
  }
  return [...at].map((i) => pattern.slice(i))
}

/** `**` may match nothing. */
function entered(pattern: string[], positions: number[]): Set<number> {
  const all = new Set(positions)
  for (const i of all) if (pattern[i] === '**') all.add(i + 1)
  return all
}
