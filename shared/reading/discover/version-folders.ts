import { joined, maxDepth, stemOf } from './languages/named-places.ts'

/** A folder that is not read, and the folder that is read instead. */
export type OtherVersion = { newest: string; isUnreleased: boolean }

type Version = { folder: string; family: string; numbers: number[]; isUnreleased: boolean; isClear: boolean; rests: Set<string> }

const numbered =
  /^(version[-_]?|ver[-_]?|release[-_]?|v)?(\d{1,4}(?:\.\d{1,4}){0,3})(\.?x)?([-._](?:alpha|beta|rc|pre|preview|dev|next|canary|snapshot)[-._]?\d{0,4})?$/i
const dated = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/
const newestNames = new Set(['latest', 'stable', 'current'])
const unreleasedNames = new Set(['next', 'unreleased', 'nightly', 'canary', 'edge', 'draft', 'dev', 'main', 'master'])
/** Notes about each version are no versions of the same documents. */
const history = /(?:^|\/)(?:release[-_]?notes?|releases|change-?logs?|migrat\w*|upgrad\w*|whats-?new|news|blogs?|posts|_posts)$/i
/** Every folder has such files. */
const general = /^(?:_?index|readme|summary)$/i
const minShared = 2
/** Reports and posts of several days may have files of the same name. */
const minSharedOfDates = 3
const minShare = 0.3

/**
 * The folders of versions that are not read, because a newer version of their documents is next to them: `v1` next to `v2`, `1.9` next to `1.10`,
 * `4x` next to `5x`, `next` next to `2.0`. `paths` are those of all documents: folders are versions of the same documents only if some of these
 * have the same path in both. Bare numbers may be chapters or years. In Docusaurus all of `versioned_docs` is older than `docs`.
 */
export function versionFolders(paths: string[]): Map<string, OtherVersion> {
  const others = new Map<string, OtherVersion>()
  const stems = new Set(paths.map(stemOf))
  for (const [parent, versions] of Map.groupBy(versionsIn(paths), ({ folder }) => parentOf(folder))) {
    if (history.test(parent)) continue
    const originals = originalsOf(parent, versions, stems)
    if (originals !== undefined) others.set(parent, { newest: originals, isUnreleased: false })
    else for (const [folder, other] of outdatedAmong(versions)) others.set(folder, other)
  }
  return others
}

function versionsIn(paths: string[]): Version[] {
  const versions = new Map<string, Version>()
  const byName = new Map<string, Omit<Version, 'folder' | 'rests'> | undefined>()
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

function versionOf(name: string): Omit<Version, 'folder' | 'rests'> | undefined {
  const lower = name.toLowerCase()
  if (newestNames.has(lower)) return { ...weak, numbers: [Number.POSITIVE_INFINITY] }
  if (unreleasedNames.has(lower)) return { ...weak, isUnreleased: true }
  const date = dated.exec(name)
  if (date) return { ...weak, family: 'date', numbers: date.slice(1).map((part) => Number(part ?? 0)) }
  const [, prefix = '', numbers = '', rest, suffix] = numbered.exec(name) ?? []
  const isBare = prefix === '' && rest === undefined && !numbers.includes('.')
  if (numbers === '' || isBare) return undefined
  const isClear = prefix !== '' || numbers.includes('.') || rest?.startsWith('.') === true
  return { family: prefix.toLowerCase(), numbers: numbers.split('.').map(Number), isUnreleased: suffix !== undefined, isClear }
}

const weak = { family: '', numbers: [], isUnreleased: false, isClear: false }

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

/** Plain names of versions need one common document; others, such as `2x` and `current`, need several that not every folder has. */
function haveSameDocuments(one: Version, other: Version): boolean {
  const shared = [...one.rests].filter((rest) => other.rests.has(rest))
  if (one.isClear && other.isClear) return shared.length > 0 || haveSameNames(one, other)
  const specific = shared.filter((rest) => !general.test(rest))
  const fewest = Math.min(one.rests.size, other.rests.size)
  const needed = one.family === 'date' ? minSharedOfDates : Math.min(minShared, fewest)
  return specific.length >= needed && specific.length >= fewest * minShare
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
