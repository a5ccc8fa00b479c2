import { languageOfName } from '../../../text/language-codes.ts'

/**
 * Folders or files that are named after languages and whose original is in the same place: `docs/de` and `docs/ja` (the original is in `docs`),
 * `docs-de` (in `docs`), `docs/guide.de.md` (`docs/guide.md`), `readme/de.md`.
 */
export type NamedPlace = {
  kind: 'folder' | 'named folder' | 'suffix' | 'file'
  /** Folder of the original, '' for the root of the repository. */
  root: string
  /** Their names as they are written. */
  members: Map<string, Member>
}

export type Member = {
  code: string
  isClear: boolean
  /** The folder; absent for single files. */
  folder?: string
  paths: string[]
  /** The paths without root, language and extension: those of the originals, if they have any. */
  rests: string[]
}

/** Deeper names of languages in a path are ignored. */
const maxNamesInPath = 8
/** Deeper folders are never looked at. Real paths have fewer. */
export const maxDepth = 30

/** The path without its extension, so that `guide.mdx` is a translation of `guide.md`. */
export const stemOf = (path: string): string => {
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') + 1 ? path.slice(0, dot) : path
}

/** All names of languages in paths. Linear in the length of the paths. */
export function namedPlaces(paths: string[]): NamedPlace[] {
  const places = new Map<string, NamedPlace>()
  const add = (
    kind: NamedPlace['kind'],
    root: string,
    name: string,
    member: Omit<Member, 'paths' | 'rests'>,
    path: string,
    rest: string,
  ) => {
    const key = `${kind}\n${root}`
    const place = places.get(key) ?? { kind, root, members: new Map<string, Member>() }
    places.set(key, place)
    const own = place.members.get(name) ?? { ...member, paths: [], rests: [] }
    place.members.set(name, own)
    own.paths.push(path)
    own.rests.push(rest)
  }
  for (const path of paths) {
    const stem = stemOf(path)
    let found = 0
    for (let from = 0, depth = 0; found < maxNamesInPath && depth < maxDepth; depth++) {
      const end = stem.indexOf('/', from)
      const name = stem.slice(from, end < 0 ? undefined : end)
      const parent = stem.slice(0, Math.max(from - 1, 0))
      const language = languageOfName(name)
      const named = language ? undefined : affixOf(name)
      if (language || named) found += 1
      if (end < 0) {
        if (language) add('file', parent, name, language, path, '')
        if (named) add('suffix', parent, `${named.separator}${named.name}`, named.language, path, named.base)
        break
      }
      const folder = path.slice(0, end)
      const rest = stem.slice(end + 1)
      if (language) add('folder', parent, name, { ...language, folder }, path, rest)
      if (named) add('named folder', joined(parent, named.base), name, { ...named.language, folder }, path, rest)
      from = end + 1
    }
  }
  return [...places.values()]
}

/** `README.zh-CN` is `README` in `zh-CN`, and `a-de-it` is `a-de` in `it`. */
function affixOf(name: string) {
  const last = lastSeparator(name, name.length)
  if (last < 1 || name.length > maxName) return undefined
  const before = lastSeparator(name, last)
  for (const at of before > 0 ? [before, last] : [last]) {
    const code = name.slice(at + 1)
    const language = languageOfName(code)
    if (language) return { base: name.slice(0, at), separator: name[at] ?? '', name: code, language }
  }
  return undefined
}

const maxName = 100

/** Position of the last `-`, `_` or `.` before `end`; -1 if there is none. */
const lastSeparator = (name: string, end: number): number =>
  Math.max(name.lastIndexOf('-', end - 1), name.lastIndexOf('_', end - 1), name.lastIndexOf('.', end - 1))

export const joined = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)
