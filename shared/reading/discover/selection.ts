import { nameMatcher, type PathMatcher, pathMatcher, segmentsOf } from './path-matcher.ts'

/** Which files of a repository are read, as asked or as its owner says. A field that is not given has its default. */
export type Selection = {
  /** Paths from the root; empty: everything. Markdown files in the root are always in. */
  folders?: string[]
  excludeFolders?: string[]
  excludeFiles?: string[]
}

/** Questions about paths from the root, to be asked on the way down: what lies below an excluded folder is out. */
export type Selector = {
  /** The pattern that leaves out this folder. */
  excludedBy(folder: string): string | undefined
  /** True for a folder whose own name `folders` spells out, be it as the last or as one on the way. */
  leadsToNamed(folder: string): boolean
  /** Whether a path lies where `folders` says, whatever is excluded. */
  inScope(path: string): boolean
  /** Whether a file of a folder that is not excluded is in. */
  includes(file: string): boolean
  /** The pattern of `excludeFiles` that omits a file which would be in without it. */
  omittedBy(file: string): string | undefined
}

const languages = ['zh', 'es', 'fr', 'de', 'ja', 'ko', 'ru', 'pt', 'it', 'ar', 'hi', 'tr', 'nl', 'pl', 'sv', 'vi', 'th']

const defaults: Required<Selection> = {
  folders: [],
  excludeFolders: [
    ...['*archive*', '*archived*', 'old', 'docs/old', '*deprecated*', '*legacy*', '*previous*', '*outdated*', '*superseded*'],
    ...languages.map((language) => `i18n/${language}*`),
    ...['zh-cn', 'zh-tw', 'zh-hk', 'zh-mo', 'zh-sg'],
  ],
  // Names are compared with their case. These are the documented defaults of `context7.json`, so that a project file means the same here.
  excludeFiles: [
    ...['CHANGELOG.md', 'CHANGELOG.mdx', 'LICENSE.md', 'CODE_OF_CONDUCT.md'],
    ...['changelog.md', 'changelog.mdx', 'license.md', 'code_of_conduct.md'],
  ],
}

/** Field by field: what was asked, else what the owner says, else (in `selector`) the default. */
export function mergeSelection(asked: Selection, owner: Selection): Selection {
  return {
    folders: asked.folders ?? owner.folders,
    excludeFolders: asked.excludeFolders ?? owner.excludeFolders,
    excludeFiles: asked.excludeFiles ?? owner.excludeFiles,
  }
}

/** The include decision: excluded folders win, then `folders` counts where it is not empty, else a file is in. */
export function selector(selection: Selection): Selector {
  const folders = (selection.folders ?? defaults.folders).map(segmentsOf)
  const scopes = folders.map((segments) => pathMatcher([...segments, '**'].join('/')))
  const named = Map.groupBy(folders.flatMap(namedOnTheWay), ({ name }) => name)
  const excluded = (selection.excludeFolders ?? defaults.excludeFolders).filter(isGiven).map(exclusion)
  const excludedFiles = (selection.excludeFiles ?? defaults.excludeFiles).filter(isGiven).map(fileExclusion)

  const isInScope = (segments: string[]) => scopes.length === 0 || scopes.some((matches) => matches(segments))
  const isChosen = (file: string, segments: string[]) =>
    !excluded.some(({ matches }) => matches(segments, false)) && (isInScope(segments) || /^[^/]+\.(md|mdx|markdown)$/i.test(file))
  const omission = (segments: string[]) => excludedFiles.find(({ matches }) => matches(segments))?.pattern

  return {
    excludedBy(folder) {
      const segments = folder.split('/')
      return excluded.find(({ matches }) => matches(segments, true))?.pattern
    },
    inScope: (path) => isInScope(path.split('/')),
    leadsToNamed(folder) {
      const segments = folder.split('/')
      return named.get(segments.at(-1) ?? '')?.some(({ matches }) => matches(segments)) ?? false
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

/** The folders on the way to what a pattern names, itself included, that are spelled out and not left to a wildcard. */
function namedOnTheWay(segments: string[]): { name: string; matches: PathMatcher }[] {
  return segments.map((name, index) => ({ name, matches: pathMatcher(segments.slice(0, index + 1).join('/')) }))
}

/** A pattern without a slash names folders anywhere; one with a slash is a path from the root, of a folder or of a file. */
function exclusion(pattern: string): { pattern: string; matches(segments: string[], isFolder: boolean): boolean } {
  const matchesPath = pathMatcher(pattern)
  if (pattern.replace(/\/+$/, '').includes('/')) return { pattern, matches: matchesPath }
  const matchesName = nameMatcher(segmentsOf(pattern).join('/'))
  return { pattern, matches: (segments, isFolder) => isFolder && matchesName(segments.at(-1) ?? '') }
}

function fileExclusion(pattern: string): { pattern: string; matches: PathMatcher } {
  if (pattern.includes('/')) return { pattern, matches: pathMatcher(pattern) }
  const matchesName = nameMatcher(pattern)
  return { pattern, matches: (segments) => matchesName(segments.at(-1) ?? '') }
}

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
export function ancestors(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}
