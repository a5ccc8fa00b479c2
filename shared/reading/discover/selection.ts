import { extname } from 'node:path/posix'
import { withoutEnding } from '../../text/without-ending.ts'
import { markdownExtensions } from '../markdown/markdown-extensions.ts'
import { exclusionsThroughLinks, type FolderLink, foldersThroughLinks } from './folders-through-links.ts'
import { nameMatcher, type PathMatcher, pathMatcher, segmentsOf } from './path-matcher.ts'
import type { Submodule } from './submodule.ts'

/** The files to read, from the request or the project file. An absent field has its default. */
export type Selection = {
  /** Paths from the root; empty means everything. Markdown files in the root are always included. */
  folders?: string[]
  excludeFolders?: string[]
  excludeFiles?: string[]
  /** Codes of the languages to read; absent for the main one. */
  languages?: string[]
}

export type CloneSelection = Selection & {
  /** Patterns apply through them. */
  links?: FolderLink[]
  submodules?: Submodule[]
  /** PDF and Word files are documents. */
  readsOffice?: boolean
  /** Source files are read for an API reference. */
  apiReference?: boolean | undefined
}

type Clone = { project: Selection; links: FolderLink[]; submodules: Submodule[] }

/** Tests for paths from the root, during a walk down the tree that skips excluded folders. */
export type Selector = {
  /** The pattern that excludes this folder. */
  excludedBy(folder: string): string | undefined
  /** True if `folders` spells out the name of this folder, as its last segment or as one on the way. */
  leadsToNamed(folder: string): boolean
  /** True if `folders` includes a path, regardless of exclusions. */
  inScope(path: string): boolean
  /** The folders that `folders` names, each with the pattern that names it. */
  readonly named: readonly { pattern: string; covers: PathMatcher }[]
  /** True if a file is read. Its folder must not be excluded. */
  includes(file: string): boolean
  /** The pattern of `excludeFiles` that omits a file which would be read without it. */
  omittedBy(file: string): string | undefined
}

const defaults: Required<Omit<Selection, 'languages'>> = {
  folders: [],
  excludeFolders: [
    '*archive*',
    '*archived*',
    'old',
    'docs/old',
    '*deprecated*',
    '*legacy*',
    '*previous*',
    '*outdated*',
    '*superseded*',
  ],
  // Names are case-sensitive. The first two lines are the documented defaults of `context7.json`, so that a project file means the same here.
  excludeFiles: [
    ...['CHANGELOG.md', 'CHANGELOG.mdx', 'LICENSE.md', 'CODE_OF_CONDUCT.md'],
    ...['changelog.md', 'changelog.mdx', 'license.md', 'code_of_conduct.md'],
    ...['CHANGELOG-*.md', 'CHANGELOG_*.md', 'CHANGELOG.*.md'],
  ],
}

/** Field by field: the request, else the owner's settings, else (in `selector`) the default. */
export function mergeSelection(requested: Selection, owner: Selection): Selection {
  return {
    folders: requested.folders ?? owner.folders,
    excludeFolders: requested.excludeFolders ?? owner.excludeFolders,
    excludeFiles: requested.excludeFiles ?? owner.excludeFiles,
    languages: requested.languages ?? owner.languages,
  }
}

/** The selection of a request in a clone, whose project file completes the request. */
export const selectionIn = (requested: Selection, { project, links, submodules }: Clone): CloneSelection => ({
  ...mergeSelection(requested, project),
  links,
  submodules,
})

/** Decides which files to read: excluded folders win, then `folders` applies unless it is empty. */
export function selector(selection: CloneSelection): Selector {
  const { links = [] } = selection
  const excluded = exclusions((selection.excludeFolders ?? defaults.excludeFolders).filter(isGiven), links)
  const excludedBy = (segments: string[]) => excluded.find(({ matches }) => matches(segments, true))?.pattern
  const open = links.filter(({ path }) => !ancestors(path).some((folder) => excludedBy(folder.split('/'))))
  const patterns = selection.folders ?? defaults.folders
  const folders = foldersThroughLinks(patterns.map(segmentsOf), open)
  const covers = folders.map((each) => each.map((segments) => pathMatcher([...segments, '**'].join('/'))))
  const scopes = covers.flat()
  const onTheWay = Map.groupBy(folders.flat().flatMap(namedOnTheWay), ({ name }) => name)
  const excludedFiles = fileExclusions((selection.excludeFiles ?? defaults.excludeFiles).filter(isGiven), links)

  const isInScope = (segments: string[]) => scopes.length === 0 || scopes.some((matches) => matches(segments))
  const isChosen = (file: string, segments: string[]) =>
    !excluded.some(({ matches }) => matches(segments, false)) && (isInScope(segments) || isRootMarkdown(file))
  const omission = (segments: string[]) => excludedFiles.find(({ matches }) => matches(segments))?.pattern

  return {
    excludedBy: (folder) => excludedBy(folder.split('/')),
    named: patterns.map((pattern, i) => ({ pattern, covers: (path) => covers[i]?.some((matches) => matches(path)) ?? false })),
    inScope: (path) => isInScope(path.split('/')),
    leadsToNamed(folder) {
      const segments = folder.split('/')
      return onTheWay.get(segments.at(-1) ?? '')?.some(({ matches }) => matches(segments)) ?? false
    },
    includes(file) {
      const segments = file.split('/')
      return isChosen(file, segments) && omission(segments) === undefined
    },
    omittedBy(file) {
      const segments = file.split('/')
      const pattern = omission(segments)
      return pattern !== undefined && isChosen(file, segments) ? pattern : undefined
    },
  }
}

const isGiven = (pattern: string): boolean => segmentsOf(pattern).length > 0

/** The path of a pattern and its parent paths. Callers look them up by name, so wildcards never match. */
function namedOnTheWay(segments: string[]): { name: string; matches: PathMatcher }[] {
  return segments.map((name, index) => ({ name, matches: pathMatcher(segments.slice(0, index + 1).join('/')) }))
}

function exclusions(patterns: string[], links: FolderLink[]): ReturnType<typeof exclusion>[] {
  const more = exclusionsThroughLinks(patterns.map(segmentsOf), links)
  return patterns.flatMap((pattern, i) => [
    exclusion(pattern),
    ...(more[i] ?? []).map((path) => ({ pattern, matches: pathMatcher(path.join('/')) })),
  ])
}

/** A pattern without a slash matches folders anywhere; one with a slash is a path of a folder or file from the root. */
function exclusion(pattern: string): { pattern: string; matches(segments: string[], isFolder: boolean): boolean } {
  const matchesPath = pathMatcher(pattern)
  if (withoutEnding(pattern, '/').includes('/')) return { pattern, matches: matchesPath }
  const matchesName = nameMatcher(segmentsOf(pattern).join('/'))
  return { pattern, matches: (segments, isFolder) => isFolder && matchesName(segments.at(-1) ?? '') }
}

function fileExclusions(patterns: string[], links: FolderLink[]): { pattern: string; matches: PathMatcher }[] {
  const more = exclusionsThroughLinks(patterns.map(segmentsOf), links)
  return patterns.flatMap((pattern, i) => {
    const matchesName = nameMatcher(pattern)
    const matches: PathMatcher = pattern.includes('/') ? pathMatcher(pattern) : (segments) => matchesName(segments.at(-1) ?? '')
    return [{ pattern, matches }, ...(more[i] ?? []).map((path) => ({ pattern, matches: pathMatcher(path.join('/')) }))]
  })
}

const isRootMarkdown = (file: string): boolean =>
  !file.includes('/') && ['.mdx', ...markdownExtensions].includes(extname(file).toLowerCase())

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
export function ancestors(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}
