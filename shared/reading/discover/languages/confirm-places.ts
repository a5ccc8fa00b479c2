import { matchingLanguages } from '../../../text/language-codes.ts'
import { joined, type Member, type NamedPlace, namedPlaces, stemOf } from './named-places.ts'
import type { SiteLanguages } from './site-languages.ts'
import { isWrittenIn, type ReadStart, textLanguage } from './text-language.ts'

/** A place whose members are translations. */
export type TranslatedPlace = {
  kind: NamedPlace['kind']
  root: string
  members: Member[]
  /** Originals without a language in their path, which a member has too. Their paths without extension. */
  originals: Set<string>
}

type Evidence = {
  place: NamedPlace
  member: Member
  /** Number of paths that another member has, too. */
  shared: number
  /** Paths that exist without the language. */
  originals: string[]
  isDeclared: boolean
  isConfirmed: boolean
  /** True if its text is in the language; undefined if that is unknown. */
  isWritten(): boolean | undefined
}

/** Every folder has such files, so having them in common says little. */
const general = /^(?:_?index|readme|summary|_sidebar|intro(?:duction)?|overview|changelog|license|contributing|home)$/i
export const translationsFolder =
  /(?:^|\/)(?:i18n|l10n|intl|locales?|lang(?:s|uages?)?|translations?|translated[-_](?:docs|content)|localized)$/i
const readme = /(?:^|\/)readme$/i
/** So many common paths are no coincidence. */
const manyShared = 3

/**
 * The places whose names are evidently languages: by the same relative paths in several of them, by the configuration of the site, or by the
 * language of their texts. A name alone is no evidence.
 */
export function confirmPlaces(paths: string[], sites: SiteLanguages[], readStart: ReadStart): TranslatedPlace[] {
  const stems = new Set(paths.map(stemOf))
  const places = namedPlaces(paths)
  const evidence = places.map((place) => evidenceOf(place, stems, sites, readStart))
  for (const members of evidence) for (const each of members) each.isConfirmed = each.member.isClear && isClearlyNamed(each)
  for (const members of evidence)
    for (const each of members) each.isConfirmed ||= !each.member.isClear && isAlsoNamed(each, members)
  const codes = new Set(evidence.flat().flatMap(({ isConfirmed, member }) => (isConfirmed ? [member.code] : [])))
  for (const members of evidence)
    for (const each of members) each.isConfirmed ||= isSibling(each, codes, members) || isForeign(each, paths.length)
  return evidence.flatMap((members) => translatedPlace(members, stems))
}

function evidenceOf(place: NamedPlace, stems: Set<string>, sites: SiteLanguages[], readStart: ReadStart): Evidence[] {
  const counts = new Map<string, number>()
  const members = [...place.members.values()]
  for (const { rests } of members) for (const rest of new Set(rests)) counts.set(rest, (counts.get(rest) ?? 0) + 1)
  const declared = sites
    .filter(({ folder }) => folder === '' || `${place.root}/`.startsWith(`${folder}/`))
    .flatMap((site) => site.codes)
  return members.map((member) => {
    let written: { is: boolean | undefined } | undefined
    return {
      place,
      member,
      shared: member.rests.filter((rest) => (counts.get(rest) ?? 0) > 1).length,
      originals: originalsOf(place, member, stems),
      isDeclared: matchingLanguages(member.code, declared).length > 0,
      isConfirmed: false,
      isWritten: () => {
        written ??= { is: isWrittenIn(textLanguage(member.paths, readStart), member.code) }
        return written.is
      },
    }
  })
}

/** The README of a translation may be in another folder than that of the repository. */
function originalsOf({ root }: NamedPlace, { rests }: Member, stems: Set<string>): string[] {
  return rests.flatMap((rest) => {
    if (rest === '') return []
    const original = joined(root, rest)
    if (stems.has(original)) return [original]
    return readme.test(original) && !rest.includes('/') && stems.has('README') ? ['README'] : []
  })
}

/** True for a name such as `de` that is seldom anything else. */
function isClearlyNamed(evidence: Evidence): boolean {
  const { place, member, shared, originals, isDeclared, isWritten } = evidence
  if (place.kind === 'file') return shared > 1 && isWritten() === true
  if (isDeclared && (place.kind === 'folder' || originals.length > 0)) return true
  if (place.kind === 'folder' && translationsFolder.test(place.root)) return true
  if (place.kind === 'named folder' && shared + originals.length < manyShared && isWritten() !== true) return false
  if (place.kind === 'suffix' && !isPlainSuffix(evidence)) return false
  if (shared > 0 || (place.kind === 'suffix' && originals.length > 0)) return true
  return (
    originals.length > 0 &&
    (originals.some((path) => isSpecific(place, path)) || member.code.includes('-') || isWritten() === true)
  )
}

/** `guide.de.md`, but `sign-in.md` and `user_id.md` need more evidence. */
function isPlainSuffix({ place, member, originals, isWritten }: Evidence): boolean {
  const name = [...place.members].find(([, each]) => each === member)?.[0] ?? ''
  if (name.startsWith('.') || member.code.includes('-') || originals.every((path) => readme.test(path))) return true
  return isWritten() !== false
}

/** A name such as `it` needs the company of other languages, or a text in this language. */
function isAlsoNamed(evidence: Evidence, members: Evidence[]): boolean {
  const { place, member, shared, originals, isDeclared, isWritten } = evidence
  const common = Math.max(shared, originals.length)
  if (common === 0) return (isDeclared || translationsFolder.test(place.root)) && isWritten() === true
  if (place.kind === 'file') return shared > 1 && isWritten() === true
  const isAccompanied = members.some(({ isConfirmed }) => isConfirmed) || isDeclared || translationsFolder.test(place.root)
  if (!isAccompanied) return isWritten() === true
  if (isDeclared) return true
  return isWritten() !== false || (common >= manyShared && common * 2 >= member.rests.length)
}

/** Pages that only a translation has, next to other languages or in a language that other places have. */
function isSibling({ place, member, isWritten }: Evidence, codes: ReadonlySet<string>, members: Evidence[]): boolean {
  if (place.kind !== 'folder') return false
  const isNextToOthers = members.some((each) => each.isConfirmed || (each.member !== member && codes.has(each.member.code)))
  if (member.isClear && isNextToOthers) return member.code.startsWith('en') || isWritten() !== false
  return codes.has(member.code) && isWritten() === true && !member.code.startsWith('en')
}

/** A folder in another language among more documents that are elsewhere. */
const isForeign = ({ place, member, isWritten }: Evidence, documents: number): boolean =>
  place.kind === 'folder' &&
  member.isClear &&
  !member.code.startsWith('en') &&
  member.paths.length * 2 < documents &&
  isWritten() === true

const isSpecific = ({ root }: NamedPlace, original: string): boolean =>
  !general.test(root === '' ? original : original.slice(root.length + 1))

function translatedPlace(all: Evidence[], stems: Set<string>): TranslatedPlace[] {
  const confirmed = all.filter(({ isConfirmed }) => isConfirmed)
  const [first] = confirmed
  if (!first) return []
  const { kind, root } = first.place
  const originals = new Set(confirmed.flatMap((each) => each.originals))
  if (kind === 'file' && stems.has('README')) originals.add('README')
  return [{ kind, root, members: confirmed.map(({ member }) => member), originals }]
}
