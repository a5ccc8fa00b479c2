import { canonicalLanguage, matchingLanguages, shortLanguage } from '../../../text/language-codes.ts'
import { confirmPlaces, type TranslatedPlace, translationsFolder } from './confirm-places.ts'
import { maxDepth, stemOf } from './named-places.ts'
import type { SiteLanguages } from './site-languages.ts'
import { type ReadStart, textLanguage } from './text-language.ts'

/** The languages of the documents of a repository. */
export type Translations = {
  /** Most documents first. Empty if the language of the documents is unknown. */
  languages: { code: string; files: number }[]
  /** The language that is read unless others are chosen. */
  main: string | undefined
  /** The language of documents that no name and no translation tells, such as a README, if no others have it. */
  rest: string | undefined
  /** Undefined if the language of a document is unknown. */
  languageOf(path: string): string | undefined
  /** Folders that hold documents of one language only. */
  folders: ReadonlyMap<string, string>
}

/** The language of originals: `isWhole` if all documents of the folder have it, else those in `paths`. */
type Root = { language: string | undefined; isWhole: boolean; paths: Set<string> }

/** English with so few documents has just been begun. */
const minEnglishShare = 0.1
const unknownName = /^[a-z]{2,3}$/i
const minShared = 3

/** Detects translations. `paths` are those of all documents. Linear in their length; `readStart` is called for a few of them. */
export function findTranslations(paths: string[], sites: SiteLanguages[], read: ReadStart): Translations {
  const readStart = atMost(maxReads, read)
  const places = confirmPlaces(paths, sites, readStart)
  const named = namedLanguages(paths, places)
  const byName = languageByName(named)
  const unnamed = paths.filter((path) => byName(path) === undefined)
  const codes = [...new Set(places.flatMap(({ members }) => members.map(({ code }) => code)))]
  const roots = rootsOf(places, { sites, codes, readStart })
  const [site] = sites.filter(({ main }) => main !== undefined).sort((a, b) => a.folder.length - b.folder.length)
  const byRoot = languageByRoot(roots)
  const others = unnamed.filter((path) => byRoot(path) === undefined)
  const rest = restLanguage(others, { roots, codes, main: site?.main }, readStart)
  const languageOf = (path: string) => byName(path) ?? byRoot(path) ?? rest
  const counts = new Map<string, number>()
  for (const path of paths) {
    const code = languageOf(path)
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const languages = [...counts].map(([code, files]) => ({ code, files })).sort(byFiles)
  // The originals of a folder for translations are elsewhere.
  const isOriginal = places.some(({ root }) => translationsFolder.test(root))
  const originals = [...roots.values()].map(({ language }) => language)
  const translated = new Set([...codes, ...originals, site?.main, isOriginal ? rest : undefined])
  const main = mainLanguage(languages, site?.main, translated)
  return { languages, main, rest: translated.has(rest) ? undefined : rest, languageOf, folders: named.folders }
}

/** More texts are not read: then their names and paths decide. */
const maxReads = 400

function atMost(max: number, read: ReadStart): ReadStart {
  let reads = 0
  return (path) => (++reads > max ? undefined : read(path))
}

const byFiles = (a: { code: string; files: number }, b: { code: string; files: number }): number =>
  b.files - a.files || (a.code < b.code ? -1 : 1)

/** That of the site, else English, else the one with most documents. `translated` are the languages of translations and originals. */
function mainLanguage(
  languages: Translations['languages'],
  site: string | undefined,
  translated: ReadonlySet<string | undefined>,
): string | undefined {
  const codes = languages.map(({ code }) => code)
  const most = languages[0]
  const hasEnough = (code: string) => {
    const files = languages.find((each) => each.code === code)?.files ?? 0
    return code === most?.code || (translated.has(code) && files >= (most?.files ?? 0) * minEnglishShare)
  }
  const candidates = [site, 'en'].flatMap((code) => (code === undefined ? [] : matchingLanguages(code, codes).slice(0, 1)))
  return candidates.find(hasEnough) ?? most?.code
}

type LanguageOf = (path: string) => string | undefined
type Named = { folders: Map<string, string>; files: Map<string, string> }

function namedLanguages(paths: string[], places: TranslatedPlace[]): Named {
  const folders = new Map<string, string>()
  const files = new Map<string, string>()
  for (const { members } of places)
    for (const { folder, code, paths: own } of members)
      if (folder !== undefined) folders.set(folder, code)
      else for (const path of own) files.set(path, code)
  for (const [folder, code] of unknownFolders(paths, places)) folders.set(folder, code)
  return { folders, files }
}

/** Folders next to those of languages that hold the same documents, under a name that is no known language. */
function unknownFolders(paths: string[], places: TranslatedPlace[]): [string, string][] {
  const byRoot = new Map(
    places.flatMap((place) => (place.kind === 'folder' && place.members.length > 1 ? [[place.root, place]] : [])),
  )
  const known = new Map([...byRoot].map(([root, { members }]) => [root, new Set(members.flatMap(({ rests }) => rests))]))
  const folders = new Set([...byRoot.values()].flatMap(({ members }) => members.map(({ folder }) => folder)))
  const counts = new Map<string, { code: string; files: number; shared: number }>()
  for (const path of byRoot.size === 0 ? [] : paths) {
    for (let end = path.indexOf('/'), depth = 0; end >= 0 && depth < maxDepth; end = path.indexOf('/', end + 1), depth++) {
      const folder = path.slice(0, end)
      const from = folder.lastIndexOf('/') + 1
      const rests = known.get(folder.slice(0, Math.max(from - 1, 0)))
      const name = folder.slice(from)
      if (!rests || !unknownName.test(name) || folders.has(folder)) continue
      const count = counts.get(folder) ?? { code: canonicalLanguage(name) ?? name, files: 0, shared: 0 }
      count.files += 1
      if (rests.has(stemOf(path).slice(end + 1))) count.shared += 1
      counts.set(folder, count)
    }
  }
  return [...counts].flatMap(([folder, { code, files, shared }]) =>
    shared >= minShared && shared * 2 >= files ? [[folder, code] as [string, string]] : [],
  )
}

function languageByName({ folders, files }: Named): LanguageOf {
  const ofFolder = outermost(folders)
  return (path) => files.get(path) ?? (folders.size === 0 ? undefined : ofFolder(parentOf(path)))
}

/** The value of the outermost folder that has one, for folders and those below them. */
function outermost<Value>(values: ReadonlyMap<string, Value>): (folder: string) => Value | undefined {
  const known = new Map<string, Value | undefined>()
  return (folder) => {
    if (known.has(folder)) return known.get(folder)
    let value: Value | undefined
    for (let end = folder.indexOf('/'), depth = 0; end >= 0 && value === undefined && depth < maxDepth; depth++) {
      value = values.get(folder.slice(0, end))
      end = folder.indexOf('/', end + 1)
    }
    value ??= values.get(folder)
    known.set(folder, value)
    return value
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

type Context = { sites: SiteLanguages[]; codes: string[]; readStart: ReadStart }

function rootsOf(places: TranslatedPlace[], context: Context): Map<string, Root> {
  const roots = new Map<string, Root>()
  for (const place of places) {
    const { kind, root, originals } = place
    if (originals.size === 0) continue
    const own = roots.get(root) ?? { language: originalLanguage(place, context), isWhole: false, paths: new Set<string>() }
    own.isWhole ||= root !== '' && (kind === 'folder' || kind === 'named folder')
    for (const path of originals) own.paths.add(path)
    roots.set(root, own)
  }
  return roots
}

/** The language of the site, that of the texts, else English. Undefined if English is among the translations. */
function originalLanguage(
  { root, members, originals }: TranslatedPlace,
  { sites, codes, readStart }: Context,
): string | undefined {
  const translations = members.map(({ code }) => code)
  const around = sites.filter(({ folder, main }) => main !== undefined && (folder === '' || `${root}/`.startsWith(`${folder}/`)))
  const main = around.sort((a, b) => b.folder.length - a.folder.length)[0]?.main
  if (main !== undefined && matchingLanguages(main, translations).length === 0) return asNamed(main, codes)
  const text = textLanguage([...originals], (stem) => readOriginal(stem, readStart))?.language
  if (text !== undefined) return asNamed(text, codes)
  return matchingLanguages('en', translations).length > 0 ? undefined : asNamed('en', codes)
}

/** A language as the names of translations write it: `en-US` if `en-US` is the only English among them. */
function asNamed(code: string, codes: string[]): string {
  const matches = matchingLanguages(code, codes)
  return matches.length === 1 ? (matches[0] as string) : shortLanguage(code)
}

const extensions = ['.md', '.mdx', '.rst', '.adoc', '.markdown', '.html', '.txt', '.ipynb']

function readOriginal(stem: string, readStart: ReadStart): string | undefined {
  for (const extension of extensions) {
    const text = readStart(stem + extension)
    if (text !== undefined) return text
  }
  return undefined
}

function languageByRoot(roots: ReadonlyMap<string, Root>): LanguageOf {
  const wholes = [...roots].filter(([, { isWhole }]) => isWhole)
  const ofFolder = outermost(new Map(wholes.map(([folder, { language }]) => [folder, { language }])))
  const single = new Map([...roots.values()].flatMap(({ paths, language }) => [...paths].map((stem) => [stem, { language }])))
  return (path) =>
    roots.size === 0
      ? undefined
      : (single.get(stemOf(path)) ?? (wholes.length > 0 ? ofFolder(parentOf(path)) : undefined))?.language
}

type Known = { roots: ReadonlyMap<string, Root>; codes: string[]; main: string | undefined }

/** The language of the documents that no name and no translation tells: that of originals elsewhere, else that of their text. */
function restLanguage(rest: string[], { roots, codes, main }: Known, readStart: ReadStart): string | undefined {
  if (rest.length === 0) return undefined
  const root = [...roots.values()].find((each) => each.language !== undefined)?.language
  const text = textLanguage(rest, readStart)?.language ?? main ?? root
  const language = text ?? (codes.length === 0 || matchingLanguages('en', codes).length > 0 ? undefined : 'en')
  return language && asNamed(language, codes)
}
