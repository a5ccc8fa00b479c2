import { invalid } from './scim-error.ts'

/** `attribute` is in lower case and without the name of its schema, such as `emails.value`. */
export type Comparison = { attribute: string; value: string }

/** A path of a PATCH operation. `filter` selects among the values of the attribute. */
export type ScimPath = { attribute: string; filter?: Comparison | undefined }

const maxFilterChars = 2_000
const maxComparisons = 10
const corePrefix = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

/** The comparisons of a filter, all of which must hold. Only `eq` and `and` are known. Throws ScimError with invalidFilter. */
export function parseFilter(text: string): Comparison[] {
  if (text.length > maxFilterChars) throw notRead(`is longer than ${maxFilterChars} characters`)
  const scanner = scan(text)
  const comparisons: Comparison[] = []
  for (;;) {
    if (comparisons.length >= maxComparisons) throw notRead(`has more than ${maxComparisons} comparisons`)
    comparisons.push(comparison(scanner))
    if (scanner.isAtEnd()) return comparisons
    if (scanner.word()?.toLowerCase() !== 'and') throw notRead('has an operator other than "and" between comparisons')
  }
}

/** Reads `members`, `name.familyName`, `members[value eq "id"]` or `emails[type eq "work"].value`. Throws ScimError with invalidPath. */
export function parsePath(text: string): ScimPath {
  try {
    if (text.length > maxFilterChars) throw notRead('is too long')
    const scanner = scan(text)
    const { attribute, filter } = attributePath(scanner)
    if (!scanner.isAtEnd()) throw notRead('goes on after the attribute')
    return { attribute, filter }
  } catch {
    throw invalid('invalidPath', 'The path is no attribute with at most one filter such as members[value eq "id"].')
  }
}

type Scanner = ReturnType<typeof scan>

function scan(text: string) {
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const skip = () => void take(/ */y)
  return {
    isAtEnd: () => {
      skip()
      return at >= text.length
    },
    word: () => {
      skip()
      return take(/[^\s"[\]()]+/y)
    },
    mark: (mark: '[' | ']') => text[at] === mark && ++at > 0,
    /** Without a space before it. */
    rest: () => take(/\.[^\s"[\]()]+/y) ?? '',
    skip,
    string: () => {
      skip()
      return take(/"(?:[^"\\]|\\.)*"/y)
    },
  }
}

function comparison(scanner: Scanner): Comparison {
  const { attribute } = attributePath(scanner)
  return { attribute, value: comparedTo(scanner) }
}

function attributePath(scanner: Scanner): { attribute: string; filter: Comparison | undefined } {
  const name = scanner.word()?.toLowerCase().replace(corePrefix, '')
  if (name === undefined) throw notRead('lacks the name of an attribute')
  if (!scanner.mark('[')) return { attribute: name, filter: undefined }
  const inner = scanner.word()?.toLowerCase()
  if (inner === undefined) throw notRead('lacks the name of an attribute')
  const filter = { attribute: inner, value: comparedTo(scanner) }
  scanner.skip()
  if (!scanner.mark(']')) throw notRead('lacks the end of a filter')
  return { attribute: name + scanner.rest().toLowerCase(), filter }
}

function comparedTo(scanner: Scanner): string {
  if (scanner.word()?.toLowerCase() !== 'eq') throw notRead('has an operator other than "eq"')
  const text = scanner.string()
  if (text === undefined) throw notRead('compares with something other than a text in quotes')
  try {
    return JSON.parse(text) as string
  } catch {
    throw notRead('has a text with an unknown escape')
  }
}

const notRead = (fault: string) =>
  invalid('invalidFilter', `The filter ${fault}. Send comparisons such as userName eq "ann@example.com", joined by "and".`)
