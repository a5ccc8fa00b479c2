import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { excerpt } from '../../text/excerpt.ts'
import { pluralize } from '../../text/figures.ts'
import { similarNames } from '../../text/similar-names.ts'
import { exclusionsThroughLinks, foldersThroughLinks } from './folders-through-links.ts'
import { brokenLink, linkTargets } from './link-target.ts'
import { nameMatcher, type PathMatcher, pathMatcher, segmentsOf } from './path-matcher.ts'
import type { CloneSelection } from './selection.ts'
import type { Skipped } from './skipped.ts'
import { type Submodule, submoduleReason } from './submodule.ts'

export type FolderPatterns = Pick<CloneSelection, 'folders' | 'excludeFolders' | 'links' | 'submodules'>

/** `paths` are the pattern and its forms through links. */
type Wanted = { field: 'folders' | 'excludeFolders'; pattern: string; paths: string[][]; matches: PathMatcher }

/** Every pattern may match in a larger tree. */
const maxEntries = 200_000
const maxNearest = 3
const maxListed = 10

/** The path of a pattern in a report. */
export const patternPath = (field: Wanted['field'], pattern: string): string => `${field}: ${pattern}`

/** The patterns that match nothing below `root`, each with the nearest folders. */
export async function missingFolders(root: string, patterns: FolderPatterns): Promise<Skipped[]> {
  const { folders = [], excludeFolders = [], links = [], submodules = [] } = patterns
  const named = foldersThroughLinks(folders.map(segmentsOf), links)
  const excluded = exclusionsThroughLinks(excludeFolders.map(segmentsOf), links)
  const wanted: Wanted[] = [
    ...folders.map((pattern, i) => {
      const paths = named[i] ?? []
      return { field: 'folders' as const, pattern, paths, matches: anyOf(paths) }
    }),
    ...excludeFolders.map((pattern, i) => {
      const more = excluded[i] ?? []
      const matches = anyOf(more, folderMatcher(pattern))
      return { field: 'excludeFolders' as const, pattern, paths: [segmentsOf(pattern), ...more], matches }
    }),
  ]
  const isSubmodule = ({ field, matches }: Wanted) =>
    field === 'excludeFolders' && submodules.some(({ path }) => matches(path.split('/')))
  let unmatched = wanted.filter((each) => segmentsOf(each.pattern).length > 0 && !isSubmodule(each))
  const submodulePaths = new Set(submodules.map(({ path }) => path))
  const existing = [...links.map(({ path }) => path), ...submodulePaths]
  const broken = new Set<string>()
  const targetOf = linkTargets(root)
  let entries = 0
  const waiting = ['']
  for (let at = 0; at < waiting.length && unmatched.length > 0; at++) {
    const folder = waiting[at] ?? ''
    for await (const entry of await opendir(join(root, folder), { bufferSize: 256 })) {
      if (++entries > maxEntries) return []
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const segments = path.split('/')
      const matched = new Set(unmatched.filter(({ matches }) => matches(segments)))
      const isBroken = matched.size > 0 && entry.isSymbolicLink() && (await targetOf(path)) === undefined
      if (isBroken) broken.add(path)
      const isUnreadable = isBroken || submodulePaths.has(path)
      unmatched = unmatched.filter((each) => !matched.has(each) || (isUnreadable && each.field === 'folders'))
      if (!entry.isDirectory()) continue
      existing.push(path)
      waiting.push(path)
    }
  }
  return unmatched.map(({ field, pattern, paths }) => {
    const inside = field === 'folders' ? submodules.find(({ path }) => leadsInto(pattern, path)) : undefined
    const isBroken = [...broken].some((path) => pathMatcher(pattern)(path.split('/')))
    const reason = inside ? inSubmodule(pattern, inside) : isBroken ? inBrokenLink(pattern) : reasonOf(pattern, paths, existing)
    return { path: patternPath(field, pattern), reason }
  })
}

function anyOf(paths: string[][], matches: PathMatcher = () => false): PathMatcher {
  const others = paths.map((segments) => pathMatcher(segments.join('/')))
  return (path) => matches(path) || others.some((each) => each(path))
}

function leadsInto(pattern: string, folder: string): boolean {
  const segments = folder.split('/')
  return pathMatcher(segmentsOf(pattern).slice(0, segments.length).join('/'))(segments)
}

const inSubmodule = (pattern: string, submodule: Submodule): string =>
  `The folder "${excerpt(pattern)}" cannot be read: ${submodule.path} ${submoduleReason(submodule).replace(/^it /, '')}.`

const inBrokenLink = (pattern: string): string => `The folder "${excerpt(pattern)}" cannot be read: it is ${brokenLink}.`

/** A name without a slash excludes folders anywhere. */
function folderMatcher(pattern: string): PathMatcher {
  const segments = segmentsOf(pattern)
  if (segments.length > 1) return pathMatcher(pattern)
  const matchesName = nameMatcher(segments.join('/'))
  return (path) => matchesName(path.at(-1) ?? '')
}

function reasonOf(pattern: string, paths: string[][], folders: string[]): string {
  const name = segmentsOf(pattern).at(-1) ?? ''
  const namesakes = folders.filter((folder) => folder.slice(folder.lastIndexOf('/') + 1).toLowerCase() === name.toLowerCase())
  const similar = paths.slice(0, maxNearest).flatMap((path) => similarNames(path.join('/'), folders))
  const nearest = [...new Set([...namesakes, ...similar])].slice(0, maxNearest)
  const missing = `The repository has no folder "${excerpt(pattern)}".`
  if (nearest.length > 0) return `${missing} Did you mean ${nearest.join(' or ')}?`
  const roots = folders.filter((folder) => !folder.includes('/')).sort()
  if (roots.length === 0) return `${missing} It has no folders.`
  const more = roots.length - maxListed
  return `${missing} It has ${roots.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${pluralize(more, 'more folder')}` : ''}.`
}
