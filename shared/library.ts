import { AppError } from './errors.ts'
import { excerpt, shortened } from './text/excerpt.ts'
import { isGenericName } from './text/generic-name.ts'
import { newestStable } from './text/release.ts'
import { visibleText } from './text/visible-text.ts'

/** The path of a library, `/owner/repo` or `/source/id`, with an optional pinned version. */
export type LibraryId = { owner: string; repo: string; version?: string }

export const libraryIdPattern = /^\/[^/]+\/[^/]+(?:\/[^/]+)?$/
/** White space, control and format characters, other invisible characters, and lone surrogates. */
const unprintable = /[\s\u2800\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u

export type LibraryState = 'initial' | 'processing' | 'finalized' | 'error'

/** The metadata of a library. Dates are ISO 8601. In `stars` and `trustScore`, -1 means unknown. */
export type Library = {
  id: string
  title: string
  description: string
  branch: string
  /** The date of the content: of its commit if it is known. */
  lastUpdateDate: string
  state: LibraryState
  totalTokens: number
  totalSnippets: number
  /** Snippets with code. Absent if they have not been counted. */
  codeSnippets?: number
  stars: number
  trustScore: number
  benchmarkScore: number
  versions: string[]
}

const maxIdChars = 500
const maxShownChars = 100

const expected = 'expected /owner/repo, /owner/repo/version or /owner/repo@version'

/**
 * Parses `/owner/repo`, `/owner/repo/version` or `/owner/repo@version`.
 * A version is the third segment, or starts at the first `@` of the second one. Throws invalid_library_id, and validation_error if it is empty or too long.
 */
export function parseLibraryId(text: string): LibraryId {
  if (text === '') throw new AppError('validation_error', `A library id must not be empty; ${expected}.`)
  if (text.length > maxIdChars)
    throw new AppError('validation_error', `A library id must not be longer than ${maxIdChars} characters.`)
  const invalid = (why: string) =>
    new AppError('invalid_library_id', `"${visibleText(excerpt(text, maxShownChars))}" is not a library id: ${why}; ${expected}.`)
  if (unprintable.test(text)) throw invalid('it contains white space or a control or invisible character')
  if (!libraryIdPattern.test(text)) throw invalid('wrong shape')
  const [, owner = '', second = '', third] = text.split('/')
  if (/(^|[/@~])\.\.?($|[/@~])|\.\./.test(text)) throw invalid('it contains ".."')
  const at = second.indexOf('@')
  const repo = at < 0 ? second : second.slice(0, at)
  if (repo === '' || at === second.length - 1) throw invalid('a part is empty')
  if (at >= 0 && third !== undefined) throw invalid('the version is given twice; a slash in a version is written as "~"')
  const version = at < 0 ? third : second.slice(at + 1)
  return version === undefined ? { owner, repo } : { owner, repo, version }
}

export function isLibraryId(text: string): boolean {
  try {
    parseLibraryId(text)
    return true
  } catch {
    return false
  }
}

/** `/owner/repo`, with `@version` if one is pinned. */
export function printLibraryId({ owner, repo, version }: LibraryId): string {
  return `/${owner}/${repo}${version === undefined ? '' : `@${version}`}`
}

/** The longer id of a library of a git host, `/<source>/<owner~repo>`, which it has if another host has the shorter one. */
export const sourceId = (source: string, { owner, repo, version }: LibraryId): LibraryId => ({
  owner: source,
  repo: `${owner}~${repo}`,
  ...(version !== undefined && { version }),
})

/** The git host and the shorter id that a longer id names. No name of a repository has a `~`. Undefined for another id. */
export function readSourceId({ owner: source, repo: names, version }: LibraryId): { source: string; id: LibraryId } | undefined {
  const end = names.lastIndexOf('~')
  const [owner, repo] = [names.slice(0, Math.max(0, end)), names.slice(end + 1)]
  if (owner === '' || repo === '') return undefined
  return { source: source.toLowerCase(), id: { owner, repo, ...(version !== undefined && { version }) } }
}

/** The name of a repository, or of its owner if the repository is called `docs`, `website` or alike. */
export function repositoryTitle({ owner, repo }: LibraryId): string {
  const name = repo.replace(/(?<=.)\.git(?:hub|lab)\.io$/i, '')
  return isGenericName(name) ? owner : name
}

/** The description of a library whose sources have none. */
export const repositoryDescription = ({ owner, repo }: LibraryId): string => `Documentation of ${owner}/${repo}`

/** An id for messages: a long one is truncated. */
export const shownId = (id: LibraryId): string => shortened(printLibraryId(id), maxShownChars)

/** Equal for all spellings of a library, ignoring case and version. */
export function libraryKey({ owner, repo }: Pick<LibraryId, 'owner' | 'repo'>): string {
  return `/${owner}/${repo}`.toLowerCase()
}

/** The key of the content that an id names: that of the library, or `key@version` if a version is pinned. */
export const versionKey = (id: LibraryId): string => keyOfVersion(libraryKey(id), id.version)

/** `versionKey` for the key of a library. */
export const keyOfVersion = (key: string, version: string | undefined): string =>
  version === undefined ? key : `${key}@${version}`

/** The names of versions: a set, or a map by name. */
type VersionNames = { has(name: string): boolean; keys(): Iterable<string> }

/**
 * The version of a list that a caller means: `1.0.0` is also `v1.0.0`, and the reverse; `release/2.0` is `release~2.0`; `latest` is the newest
 * stable version, unless a version has that name.
 */
export function versionNamed(name: string, versions: VersionNames): string | undefined {
  const wanted = versionName(name)
  if (isLatest(wanted, versions)) return newestStable(versions.keys())
  const number = wanted.replace(/^v(?=\d)/i, '')
  const spellings = /^\d/.test(number) ? [wanted, `v${number}`, number] : [wanted]
  return spellings.find((spelling) => versions.has(spelling))
}

/** True for the name `latest` if no version is called so. */
const isLatest = (name: string | undefined, versions: Pick<VersionNames, 'has'>): boolean =>
  name === 'latest' && !versions.has(name)

/** For deletions: throws tag_not_found for `latest`, which may have become another version meanwhile. */
export function rejectLatest({ version }: LibraryId, versions: VersionNames): void {
  if (!isLatest(version, versions)) return
  const newest = newestStable(versions.keys())
  const advice = newest === undefined ? '' : ` Name the version itself, such as ${newest}.`
  throw new AppError('tag_not_found', `"latest" is not the name of a version, so it cannot be deleted.${advice}`)
}

/** The name of a tag or branch in ids and listings: its short name, with `~` for `/`, because an id cannot have another slash. */
export const versionName = (ref: string): string => ref.replaceAll('/', '~').replace(/^refs~(?:heads|tags)~/, '')

/** The id with the version as the list spells it. A version that is not in the list stays as it is. */
export const withNamedVersion = (id: LibraryId, versions: VersionNames): LibraryId =>
  id.version === undefined ? id : { ...id, version: versionNamed(id.version, versions) ?? id.version }

/** Gives the ids without a version this one. */
export const withVersion = (ids: LibraryId[], version: string | undefined): LibraryId[] =>
  version === undefined ? ids : ids.map((id) => ({ version: versionName(version), ...id }))
