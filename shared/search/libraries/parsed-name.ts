import { distinctiveTerms } from './distinctive-terms.ts'
import { type GradedNames, grades, ownerNames } from './library-names.ts'
import { isAffix, nameWords, plainName, squash, withoutAffixes, withoutTrailingDigits, withoutVersion } from './name-words.ts'
import { readAddress } from './read-address.ts'

/** The parsed name of a library, as a caller typed it. */
export type ParsedName = {
  /** Forms to look up, each with a factor for the grade of the names that match it. The form as typed comes first. */
  forms: GradedNames
  /** The forms that are only one part of a path: its owner or scope, or its name. */
  starts: ReadonlySet<string>
  ends: ReadonlySet<string>
  /** Distinctive words, or all words if none is distinctive. */
  words: string[]
  /** Terms of the name, for the search in titles and descriptions. */
  terms: ReadonlySet<string>
  /** The names of the owner, if the text has one: `owner/repo`, `@scope/package`, the address of a repository. */
  owners: string[]
}

type Path = { owner: string; name: string; scoped: boolean }
type AddForm = (form: string | undefined, factor: number, part?: 'whole' | 'start' | 'end') => void

const packageManager = /^(?:npm|pypi|gem|cargo|go|jsr|maven|nuget|composer|pub|hex|pkg|github|gitlab|gh):(?!\/\/|\s)/

/** Parses names, package names, `owner/repo`, library ids and addresses, each with or without a version. */
export function parseName(text: string): ParsedName {
  const typed = plainName(text.trim()).replace(packageManager, '')
  const readings = readAddress(typed) ?? [...new Set([typed.replace(/^@types\//, ''), typed])]
  const forms = new Map<string, number>()
  const parts = { whole: new Set<string>(), start: new Set<string>(), end: new Set<string>() }
  const add: AddForm = (form, factor, part = 'whole') => {
    if (!form) return
    forms.set(form, Math.max(factor, forms.get(form) ?? 0))
    parts[part].add(form)
  }
  for (const reading of readings) addForms(reading, add)
  const name = withoutVersion(readings[0] ?? '') ?? readings[0] ?? ''
  const path = readPath(name)
  return {
    forms,
    starts: without(parts.whole, parts.start),
    ends: without(parts.whole, parts.end),
    words: distinctiveWords(path?.name ?? name),
    terms: distinctiveTerms(name),
    owners: path ? ownerNames(nameWords(path.owner)) : [],
  }
}

const without = (others: Set<string>, forms: Set<string>): Set<string> => new Set([...forms].filter((form) => !others.has(form)))

function addForms(typed: string, add: AddForm): void {
  const unversioned = withoutVersion(typed)
  const name = unversioned ?? typed
  const path = readPath(name)
  const bare = withoutAffixes(nameWords(name))
  const artifact = name.slice(name.lastIndexOf(':') + 1)
  const member = name.slice(name.lastIndexOf('.') + 1)
  add(path ? `${squash(path.owner)}/${squash(path.name)}` : squash(typed), 1)
  add(squash(name), path || !unversioned ? 1 : grades.bare)
  add(bare, unversioned ? grades.bare * grades.queryBare : grades.queryBare)
  add(withoutTrailingDigits(bare ?? squash(name)), grades.withoutDigits)
  if (path) add(squash(path.name), nameAlone(path), 'end')
  const start = path ? path.owner : (name.split(/\.|::/, 1)[0] ?? '')
  for (const each of ownerNames(nameWords(start))) add(each, grades.start, path ? 'start' : 'whole')
  if (member !== name && !isAffix(member)) add(squash(member), grades.genericName)
  if (artifact !== name && !name.includes('::')) add(squash(artifact), grades.bare)
}

/** The factor for the second part of a path without the first: lower after a scope, and lower still for generic names such as `core` or `cli`. */
function nameAlone({ name, scoped }: Path): number {
  const factor = scoped ? grades.genericName : grades.otherOwner
  return nameWords(name).every(isAffix) ? factor * grades.genericName : factor
}

function readPath(name: string): Path | undefined {
  const [owner, second] = name.replace(/^\//, '').split('/')
  if (!owner || !second || /\s/.test(name)) return undefined
  return { owner: owner.replace(/^@/, ''), name: second, scoped: owner.startsWith('@') }
}

function distinctiveWords(name: string): string[] {
  const words = [...new Set(nameWords(name))]
  const telling = words.filter((word) => !isAffix(word))
  return telling.length > 0 ? telling : words
}
