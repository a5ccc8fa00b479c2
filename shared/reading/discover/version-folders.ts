import { joined, maxDepth, stemOf } from './languages/named-places.ts'
import type { SiteVersions } from './site-versions.ts'

/** A folder that is not read, and the folder that is read instead. */
export type OtherVersion = { newest: string; isUnreleased: boolean }

type Version = {
  folder: string
  family: string
  numbers: number[]
  isUnreleased: boolean
  /** Nothing else has such a name. */
  isClear: boolean
  /** A number alone, which may be that of a chapter. */
  isBare: boolean
  rests: Set<string>
}
type Name = Omit<Version, 'folder' | 'rests'>

const numbered =
  /^(version[-_]?|ver[-_]?|release[-_]?|v)?(\d{1,4}(?:\.\d{1,4}){0,3})(\.?x)?([-._](?:alpha|beta|rc|pre|preview|dev|next|canary|snapshot)[-._]?\d{0,4})?$/i
const dated = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/
const newestNames = new Set(['latest', 'stable', 'current'])
const unreleasedNames = new Set(['next', 'unreleased', 'nightly', 'canary', 'edge', 'draft', 'dev', 'main', 'master'])
const year = /^(?:19|20)\d\d$/
/** Folders of numbered texts, which may have the same parts. */
const series =
  /(?:^|\/)(?:chapters?|lessons?|exercises?|challenges?|days?|weeks?|modules?|units?|parts?|steps?|tutorials?|courses?|levels?|adrs?|rfcs?|man)$/i
/** Notes about each version are no versions of the same documents. */
const history = /(?:^|\/)(?:release[-_]?notes?|releases|change-?logs?|migrat\w*|upgrad\w*|whats-?new|news|blogs?|posts|_posts)$/i
const prereleases = /(?:^|\/)pre[-_]?releases?$/i
/** Every folder has such files. */
const general = /^(?:_?index|readme|summary)$/i
const minShared = 2
/** Reports of several days and numbered texts may have files of the same name. */
const minSharedOfNumbers = 3
const minShare = 0.3
const minShareOfBare = 0.6

/**
 * The folders of versions that are not read, because a newer version of their documents is next to them: `v1` next to `v2`, `1.9` next to `1.10`,
 * `4x` next to `5x`, `next` next to `2.0`. `paths` are those of all documents: folders are versions of the same documents only if some of these
 * have the same path in both, bare numbers only if most have. In Docusaurus all of `versioned_docs` is older than `docs`, unless `sites` tell
 * that readers are shown one of its versions. Versions newer than one of `latest` are not released.
 */
export function versionFolders(
  paths: string[],
  { sites, latest }: { sites: SiteVersions[]; latest: ReadonlySet<string> } = { sites: [], latest: new Set() },
): Map<string, OtherVersion> {
  const others = new Map<string, OtherVersion>()
  const stems = new Set(paths.map(stemOf))
  for (const [parent, versions] of Map.groupBy(versionsIn(paths), ({ folder }) => parentOf(folder))) {
    if (history.test(parent) || prereleases.test(parent)) continue
    const originals = originalsOf(parent, versions, stems)
    const shown = shownIn(parent, sites, paths)
    if (shown) for (const [folder, other] of besideShown(shown, { parent, versions, originals })) others.set(folder, other)
    else if (originals !== undefined) others.set(parent, { newest: originals, isUnreleased: false })
    else for (const [folder, other] of outdatedAmong(withReleases(versions, latest))) others.set(folder, other)
  }
  return others
}

/** Versions are not released if they are newer than one that the site calls the latest. */
function withReleases(versions: Version[], latest: ReadonlySet<string>): Version[] {
  const newest = versions.find(({ folder }) => latest.has(folder.slice(folder.lastIndexOf('/') + 1)))
  if (!newest) return versions
  return versions.map((each) => ({
    ...each,
    isUnreleased: each.isUnreleased || (each.family === newest.family && isNewer(each, newest)),
  }))
}

type Shown = { names: string[]; shown: string }

/** The versions of a site, if the documents that it shows are in this folder. */
function shownIn(parent: string, sites: SiteVersions[], paths: string[]): Shown | undefined {
  const own = parent.replace(translated, (_, id?: string) => (id === undefined ? 'versioned_docs' : `${id}_versioned_docs`))
  const { names = [], shown } = sites.find(({ folder }) => folder === own) ?? {}
  if (shown === undefined) return undefined
  const start = `${joined(parent, shown)}/`
  return paths.some((path) => path.startsWith(start)) ? { names, shown } : undefined
}

/** Translations of the versions of a site. */
const translated = /i18n\/[^/]+\/docusaurus-plugin-content-docs(?:-([^/]+))?$/

/** All versions of a site except the shown one. Those before it in the list are not released, as the documents next to the folder. */
function besideShown(
  { names, shown }: Shown,
  { parent, versions, originals }: { parent: string; versions: Version[]; originals: string | undefined },
): [string, OtherVersion][] {
  const newest = joined(parent, shown)
  const unreleased = new Set(names.slice(0, names.indexOf(shown)).map((name) => joined(parent, name)))
  const folders = versions.map(({ folder, isUnreleased, numbers }) => ({
    folder,
    isUnreleased: isUnreleased || numbers[0] === Number.POSITIVE_INFINITY || unreleased.has(folder),
  }))
  if (originals !== undefined) folders.push({ folder: originals, isUnreleased: true })
  return folders.flatMap(({ folder, isUnreleased }) => (folder === newest ? [] : [[folder, { newest, isUnreleased }]]))
}

function versionsIn(paths: string[]): Version[] {
  const versions = new Map<string, Version>()
  const byName = new Map<string, Name | undefined>()
  const named = (name: string) => {
    if (!byName.has(name)) byName.set(name, versionOf(name))
    return byName.get(name)
  }
  for (const path of paths) {
    for (let from = 0, end = path.indexOf('/'), depth = 0; end >= 0 && depth < maxDepth; depth++) {
      const version = named(path.slice(from, end))
      if (version) {
        const folder = path.slice(0, end)
        const known = versions.get(folder) ?? { ...version, folder, rests: new Set<string>() }
        versions.set(folder, known)
        known.rests.add(stemOf(path).slice(end + 1))
      }
      from = end + 1
      end = path.indexOf('/', from)
    }
  }
  return [...versions.values()]
}

function versionOf(name: string): Name | undefined {
  const lower = name.toLowerCase()
  if (newestNames.has(lower)) return { ...weak, numbers: [Number.POSITIVE_INFINITY] }
  if (unreleasedNames.has(lower)) return { ...weak, isUnreleased: true }
  const date = dated.exec(name)
  if (date) return { ...weak, family: 'date', numbers: date.slice(1).map((part) => Number(part ?? 0)) }
  const [, prefix = '', numbers = '', rest, suffix] = numbered.exec(name) ?? []
  const isBare = prefix === '' && rest === undefined && !numbers.includes('.')
  if (numbers === '' || (isBare && (numbers.startsWith('0') || year.test(numbers)))) return undefined
  const isClear = prefix !== '' || numbers.includes('.') || rest?.startsWith('.') === true
  return {
    family: prefix.toLowerCase(),
    numbers: numbers.split('.').map(Number),
    isUnreleased: suffix !== undefined,
    isClear,
    isBare,
  }
}

const weak = { family: '', numbers: [], isUnreleased: false, isClear: false, isBare: false }

/** Names such as `latest` belong to the family that has most folders. */
function outdatedAmong(versions: Version[]): [string, OtherVersion][] {
  const isWord = ({ isClear, numbers }: Version) => !isClear && numbers.every((each) => each === Number.POSITIVE_INFINITY)
  const families = [
    ...Map.groupBy(
      versions.filter((each) => !isWord(each)),
      ({ family }) => family,
    ).values(),
  ]
  const words = versions.filter(isWord)
  const [largest = [], ...others] = families.sort((a, b) => b.length - a.length)
  return [[...largest, ...words], ...others].flatMap(outdatedIn)
}

/** A folder is compared with the newest one, then with the next newer one, since `latest` may hold a front page only. */
function outdatedIn(family: Version[]): [string, OtherVersion][] {
  const sorted = family.toSorted((a, b) => (isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0))
  return sorted.flatMap((version, i): [string, OtherVersion][] => {
    const newer = [sorted[0], sorted[i - 1]].find((each) => each && each !== version && haveSameDocuments(version, each))
    if (!newer) return []
    return [[version.folder, { newest: newer.folder, isUnreleased: version.isUnreleased && !newer.isUnreleased }]]
  })
}

function isNewer(one: Version, other: Version): boolean {
  if (one.isUnreleased !== other.isUnreleased) return other.isUnreleased
  const at = one.numbers.findIndex((number, index) => number !== (other.numbers[index] ?? 0))
  return at >= 0 && (one.numbers[at] ?? 0) > (other.numbers[at] ?? 0)
}

/** Plain names of versions need one common document; others, such as `2x`, `current` and `2`, need several that not every folder has. */
function haveSameDocuments(one: Version, other: Version): boolean {
  const shared = [...one.rests].filter((rest) => other.rests.has(rest))
  if (one.isClear && other.isClear) return shared.length > 0 || haveSameNames(one, other)
  const specific = shared.filter((rest) => !general.test(rest))
  const fewest = Math.min(one.rests.size, other.rests.size)
  const isBare = one.isBare || other.isBare
  if (isBare && series.test(parentOf(one.folder))) return false
  const needed = isBare || one.family === 'date' ? minSharedOfNumbers : Math.min(minShared, fewest)
  return specific.length >= needed && specific.length >= fewest * (isBare ? minShareOfBare : minShare)
}

/** Documents may have moved to other folders from one version to the next. */
function haveSameNames(one: Version, other: Version): boolean {
  const nameOf = (rest: string) => rest.slice(rest.lastIndexOf('/') + 1)
  const names = new Set([...other.rests].map(nameOf))
  const same = [...one.rests].map(nameOf).filter((name) => names.has(name) && !general.test(name))
  return same.length >= minShared
}

/** The folder that `versioned_docs` holds the earlier versions of: `docs` next to it or next to the folder of the site. */
function originalsOf(parent: string, versions: Version[], stems: ReadonlySet<string>): string | undefined {
  const folderName = parent.slice(parent.lastIndexOf('/') + 1)
  if (!folderName.endsWith('versioned_docs')) return undefined
  const name = folderName.replace(/_?versioned_docs$/, '')
  const site = parentOf(parent)
  const rests = new Set(versions.flatMap((version) => [...version.rests]))
  const candidates = [joined(site, name || 'docs'), joined(site === '' ? '' : parentOf(site), name || 'docs')]
  return candidates.find((folder) => [...rests].some((rest) => stems.has(joined(folder, rest))))
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
