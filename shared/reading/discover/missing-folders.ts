import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { pluralize } from '../../text/pluralize.ts'
import { similarNames } from '../../text/similar-names.ts'
import { nameMatcher, type PathMatcher, pathMatcher, segmentsOf } from './path-matcher.ts'
import type { Selection } from './selection.ts'
import type { Skipped } from './skipped.ts'

export type FolderPatterns = Pick<Selection, 'folders' | 'excludeFolders'>

type Wanted = { field: keyof FolderPatterns; pattern: string; matches: PathMatcher }

/** In a larger tree, every pattern may match. */
const maxEntries = 200_000
const maxNearest = 3
const maxListed = 10

/** The path of a pattern in a report. */
export const patternPath = (field: keyof FolderPatterns, pattern: string): string => `${field}: ${pattern}`

/** The patterns that match nothing below `root`, each with the nearest folders. */
export async function missingFolders(root: string, { folders = [], excludeFolders = [] }: FolderPatterns): Promise<Skipped[]> {
  const wanted: Wanted[] = [
    ...folders.map((pattern) => ({ field: 'folders' as const, pattern, matches: pathMatcher(pattern) })),
    ...excludeFolders.map((pattern) => ({ field: 'excludeFolders' as const, pattern, matches: folderMatcher(pattern) })),
  ]
  let unmatched = wanted.filter(({ pattern }) => segmentsOf(pattern).length > 0)
  const found: string[] = []
  let entries = 0
  const waiting = ['']
  for (let at = 0; at < waiting.length && unmatched.length > 0; at++) {
    const folder = waiting[at] ?? ''
    for await (const entry of await opendir(join(root, folder), { bufferSize: 256 })) {
      if (++entries > maxEntries) return []
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const segments = path.split('/')
      unmatched = unmatched.filter(({ matches }) => !matches(segments))
      if (!entry.isDirectory()) continue
      found.push(path)
      waiting.push(path)
    }
  }
  return unmatched.map(({ field, pattern }) => ({ path: patternPath(field, pattern), reason: reasonOf(pattern, found) }))
}

/** A name without a slash excludes folders anywhere. */
function folderMatcher(pattern: string): PathMatcher {
  const segments = segmentsOf(pattern)
  if (segments.length > 1) return pathMatcher(pattern)
  const matchesName = nameMatcher(segments.join('/'))
  return (path) => matchesName(path.at(-1) ?? '')
}

function reasonOf(pattern: string, folders: string[]): string {
  const path = segmentsOf(pattern).join('/')
  const name = path.slice(path.lastIndexOf('/') + 1)
  const namesakes = folders.filter((folder) => folder.slice(folder.lastIndexOf('/') + 1).toLowerCase() === name.toLowerCase())
  const nearest = [...new Set([...namesakes, ...similarNames(path, folders)])].slice(0, maxNearest)
  const missing = `The repository has no folder "${pattern.slice(0, 100)}".`
  if (nearest.length > 0) return `${missing} Did you mean ${nearest.join(' or ')}?`
  const roots = folders.filter((folder) => !folder.includes('/')).sort()
  if (roots.length === 0) return `${missing} It has no folders.`
  const more = roots.length - maxListed
  return `${missing} It has ${roots.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${pluralize(more, 'more folder')}` : ''}.`
}
