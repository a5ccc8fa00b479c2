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

/** A deeper name of a language in a path says nothing more. */
const maxNamesInPath = 8
const affix = /^(.{1,80}?)([-_.])([a-z]{2,3}[-_](?:[a-z]{2}|[a-z]{4}|\d{3})|[a-z]{2,12})$/i

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
    for (let from = 0; found < maxNamesInPath; ) {
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

/** `README.zh-CN` is `README` in `zh-CN`. */
function affixOf(name: string) {
  if (name.length > 100) return undefined
  const [, base = '', separator = '', code = ''] = affix.exec(name) ?? []
  const language = languageOfName(code)
  if (language) return { base, separator, name: code, language }
  // `a-de-it`: the last part alone.
  const last = /[-_]([a-z]{2,3})$/i.exec(code)
  const short = last && languageOfName(last[1] ?? '')
  return short && last
    ? { base: name.slice(0, name.length - last[0].length), separator: last[0][0] ?? '', name: last[1] ?? '', language: short }
    : undefined
}

export const joined = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)
