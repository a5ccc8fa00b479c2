import { parseLibraryId } from '../../library.ts'
import type { ListedLibrary } from './catalog.ts'
import { isAffix, nameWords, squash, withoutAffixes, withoutTrailingDigits } from './name-words.ts'
import { wellKnownAliases } from './well-known-aliases.ts'

/** The grades of names, by how well one identifies its library, or a form of the query its meaning: 1 is the name itself. */
export const grades = {
  /** Higher than any other name with the bonus for question and popularity. */
  path: 1.45,
  name: 1,
  /**
   * The name without the affixes or the subtitle of the library, or without the requested version. Popularity cannot outweigh the
   * distance to `name`.
   */
  bare: 0.93,
  ownerAndName: 0.92,
  alias: 0.9,
  withoutDigits: 0.88,
  /** The same repository name with another owner: a fork, or a repository that has moved. */
  otherOwner: 0.85,
  /** The query without its affixes: `laravel docs` means the documentation first, then Laravel. */
  queryBare: 0.85,
  /** The first part of a longer name: `@hono/…`, `lodash/fp`, `torch.nn`, `tokio::spawn`. */
  start: 0.82,
  acronym: 0.75,
  genericName: 0.6,
}

/** Grades by squashed name. */
export type GradedNames = ReadonlyMap<string, number>

/** The words of the names of a library. */
export type NamingWords = { owner: string[]; repo: string[]; title: string[] }

export const maxAliases = 300

const subtitle = /\s[-–—]\s|:\s/
const otherName = /\s[|/·]\s|[()]/
const organisation = /(?:labs|org|hq|inc|team|dev|io|project|software|foundation)$/

export function namingWords({ id, title }: Pick<ListedLibrary, 'id' | 'title'>): NamingWords {
  const { owner, repo } = parseLibraryId(id)
  return { owner: nameWords(owner), repo: nameWords(repo), title: nameWords(title) }
}

/** All names of a library, each with its best grade. */
export function libraryNames(library: Pick<ListedLibrary, 'id' | 'title' | 'aliases'>, words: NamingWords): GradedNames {
  const names = new Map<string, number>()
  const add = (text: string | undefined, grade: number) => {
    if (text) names.set(text, Math.max(grade, names.get(text) ?? 0))
  }
  const title = words.title.join('')
  const repo = words.repo.join('')
  const generic = repo !== title && words.repo.every(isAffix)
  add(`${words.owner.join('')}/${repo}`, grades.path)
  add(title, grades.name)
  add(repo, generic ? grades.genericName : grades.name)
  for (const owner of ownerNames(words.owner)) add(owner + repo, grades.ownerAndName)
  for (const part of library.title.split(otherName)) add(squash(part.split(subtitle, 1)[0] ?? ''), grades.bare)
  for (const each of generic || repo === title ? [words.title] : [words.title, words.repo]) {
    const bare = withoutAffixes(each)
    add(bare, grades.bare)
    add(withoutTrailingDigits(bare ?? each.join('')), grades.withoutDigits)
    add(acronym(each), grades.acronym)
    add(acronym(each.map(digitOf)), grades.acronym)
  }
  for (const word of library.title.split(/\s+/)) add(shortForm(word), grades.acronym)
  for (const alias of knownAliasesOf(library, names)) add(squash(alias), grades.alias)
  for (const alias of library.aliases.slice(0, maxAliases)) {
    add(squash(alias), nameWords(alias).every(isAffix) ? grades.genericName : grades.alias)
  }
  return names
}

/** An owner as written, and without company or language suffixes: `honojs` → `hono`, `tailwindlabs` → `tailwind`. */
export function ownerNames(words: string[]): string[] {
  const whole = words.join('')
  const bare = withoutAffixes(words) ?? whole
  const short = bare.replace(organisation, '')
  return [...new Set([whole, bare, short.length >= 3 ? short : bare])].filter((name) => name !== '')
}

const aliasesByKey = new Map(
  Object.entries(wellKnownAliases).map(([key, aliases]) => [key.includes('/') ? `/${key}` : squash(key), aliases]),
)

function knownAliasesOf(library: Pick<ListedLibrary, 'id'>, names: GradedNames): string[] {
  const aliases = [...(aliasesByKey.get(library.id.toLowerCase()) ?? [])]
  for (const [name, grade] of names) if (grade >= grades.bare) aliases.push(...(aliasesByKey.get(name) ?? []))
  return aliases
}

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const digitOf = (word: string): string => (digits.includes(word) ? String(digits.indexOf(word)) : word)

function acronym(words: string[]): string | undefined {
  return words.length >= 3 && words.length <= 6 ? words.map((word) => word.slice(0, 1)).join('') : undefined
}

/** `LightGBM` → `lgbm`, `GraphQL` → `gql`: the first letters of the parts of a word, then the abbreviation at its end. */
function shortForm(word: string): string | undefined {
  const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  const end = parts.at(-1) ?? ''
  if (parts.length < 2 || parts.join('') !== word || !/^[A-Z]{2,5}$/.test(end)) return undefined
  return `${parts
    .slice(0, -1)
    .map((part) => part.slice(0, 1))
    .join('')}${end}`.toLowerCase()
}
