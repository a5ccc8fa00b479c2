import { idf } from '../statistics/bm25.ts'
import { distinctiveTerms } from './distinctive-terms.ts'
import type { LibraryIndex } from './library-index.ts'
import { grades as gradeOf } from './library-names.ts'
import type { ParsedName } from './parsed-name.ts'
import { coverage } from './text-index.ts'

/** A name of this grade matches the query, perhaps in another spelling. Below it, the name is only similar. */
export const sureGrade = 0.75

/** Grades of libraries by their position in the index: 1 is an exact match. */
type Grades = Map<number, number>

export type GradedLibraries = {
  grades: ReadonlyMap<number, number>
  /** The libraries that have the name, also in another spelling or as an abbreviation. */
  named: ReadonlySet<number>
  /** The libraries of the owner that the query names. */
  ofOwner: ReadonlySet<number>
}

/** An exact match of a lower grade is a generic name, which does not identify a library. */
const minNameGrade = 0.65
/** A path with another owner means a library only by its whole name. */
const otherOwnerGrade = gradeOf.name * gradeOf.otherOwner
/** The grade of a library of the owner whose name has the words of the query and no other distinctive ones. */
const ownerAndWordsGrade = 0.95
const maxSimilarGrade = 0.74
const minLikeness = 0.6
const likenessPerfect = 0.85
const maxEdits = 3
const maxRepairedLength = 64
const nameInTexts = 0.5
const questionInTexts = 0.6

/** Grades how well the name of each library matches. Repairs spelling and searches texts only if no name is a sure match. */
export function gradeLibraries(index: LibraryIndex, query: ParsedName, questionTerms: ReadonlySet<string>): GradedLibraries {
  const grades: Grades = new Map()
  const named = new Set<number>()
  const ofOwner = new Set(query.owners.flatMap((owner) => index.byOwner.get(owner) ?? []))
  const [typed = ''] = query.forms.keys()
  for (const [text, factor] of query.forms) {
    index.names.exact(text, (place, grade) => {
      raise(grades, place, factor * grade)
      const isNamed = query.ends.has(text)
        ? grade * factor >= otherOwnerGrade || (grade >= minNameGrade && ofOwner.has(place))
        : factor * grade >= minNameGrade && !query.starts.has(text)
      if (isNamed) named.add(place)
    })
  }
  gradeNumeronym(index, typed, (place, grade) => {
    raise(grades, place, grade)
    if (grade >= minNameGrade) named.add(place)
  })
  gradeWords(index, query.words, query.owners, grades)
  const bestForms = [...query.forms].slice(0, 2)
  for (const [text, factor] of bestForms) gradePrefixes(index, text, factor, grades)
  if (query.words.length === 1) gradeCompounds(index, typed, grades)
  const graded = { grades, named, ofOwner }
  if (hasSure(grades)) return graded
  gradePrefixes(index, productOf(typed), 1, grades)
  for (const [text, factor] of bestForms) gradeTypos(index, text, factor, grades)
  gradeTexts(index, distinctiveTerms(query.words.join(' ')), nameInTexts, 0.5, grades)
  if (questionTerms.size > 1) gradeTexts(index, questionTerms, questionInTexts, 0.2, grades)
  return graded
}

/** `k8s`, `i18n`: the first letter, the number of letters between, the last letter. */
function gradeNumeronym(index: LibraryIndex, typed: string, report: (place: number, grade: number) => void): void {
  const [, first, count, last] = /^([a-z])(\d{1,2})([a-z])$/.exec(typed) ?? []
  if (first === undefined || last === undefined) return
  index.names.startingWith(first, (place, grade, name) => {
    if (name.length === Number(count) + 2 && name.endsWith(last)) report(place, 0.75 * Math.min(1, grade))
  })
}

/** Libraries that share words with the query. Rare words weigh more. Libraries of the owner need none, but are only similar without all. */
function gradeWords(index: LibraryIndex, words: string[], owners: string[], grades: Grades): void {
  const weights = new Map(words.map((word) => [word, wordRarity(index, word)]))
  const total = [...weights.values()].reduce((sum, each) => sum + each, 0)
  const matches = new Map<number, { count: number; weight: number }>()
  const match = (places: number[] | undefined, count: number, weight: number) => {
    for (const place of places ?? []) {
      const before = matches.get(place) ?? { count: 0, weight: 0 }
      matches.set(place, { count: before.count + count, weight: before.weight + weight })
    }
  }
  for (const [word, weight] of weights) {
    match(index.byWord.get(word), 1, weight)
    match(index.byOwnerWord.get(word), 0, weight)
  }
  for (const [place, { count, weight }] of matches) {
    const precision = Math.min(1, count / Math.max(1, index.wordCounts[place] ?? 1))
    raise(grades, place, 0.35 + 0.35 * (weight / total) * (0.5 + 0.5 * precision))
  }
  for (const owner of owners) {
    for (const place of index.byOwner.get(owner) ?? []) {
      const count = matches.get(place)?.count ?? 0
      const isWhole = count > 0 && count === words.length && count === index.wordCounts[place]
      raise(grades, place, isWhole ? ownerAndWordsGrade : 0.5 + (0.24 * count) / Math.max(1, words.length))
    }
  }
}

function wordRarity({ byWord, byOwnerWord, libraries }: LibraryIndex, word: string): number {
  return idf((byWord.get(word)?.length ?? 0) + (byOwnerWord.get(word)?.length ?? 0), libraries.length)
}

/** Names that begin with the query: `kube`. */
function gradePrefixes(index: LibraryIndex, text: string, factor: number, grades: Grades): void {
  if (text.length < 2) return
  index.names.startingWith(text, (place, grade, name) =>
    raise(grades, place, factor * prefixGrade(grade, text.length / name.length)),
  )
}

/** The beginning of the name of a product, from that of its language or command: `promql`, `istioctl`. Empty for another name. */
const productOf = (typed: string): string => /^(.{4,})(?:ql|ctl|cli)$/.exec(typed)?.[1] ?? ''

/** Names that the query begins with: `reactrouterdom`. */
function gradeCompounds(index: LibraryIndex, typed: string, grades: Grades): void {
  for (let length = 4; length < Math.min(typed.length, maxRepairedLength); length++) {
    index.names.exact(typed.slice(0, length), (place, grade) => raise(grades, place, prefixGrade(grade, length / typed.length)))
  }
}

const prefixGrade = (grade: number, share: number): number => Math.min(1, grade) * Math.min(maxSimilarGrade, 0.45 + 0.3 * share)

function gradeTypos(index: LibraryIndex, text: string, factor: number, grades: Grades): void {
  if (text.length < 3 || text.length > maxRepairedLength) return
  const longer = (length: number) => Math.max(text.length, length)
  const edits = (length: number) => Math.min(maxEdits, Math.floor(longer(length) * (1 - minLikeness / likenessPerfect)))
  index.names.similar(text, edits, (place, grade, name, distance) => {
    const likeness = Math.min(maxSimilarGrade, likenessPerfect * (1 - distance / longer(name.length)))
    raise(grades, place, factor * Math.min(1, grade) * likeness)
  })
}

function gradeTexts(index: LibraryIndex, terms: ReadonlySet<string>, minShare: number, weight: number, grades: Grades): void {
  coverage(index.texts, terms).forEach((share, place) => {
    if (share >= minShare) raise(grades, place, weight * share)
  })
}

function hasSure(grades: Grades): boolean {
  for (const grade of grades.values()) if (grade >= sureGrade) return true
  return false
}

function raise(grades: Grades, place: number, grade: number): void {
  if (grade > (grades.get(place) ?? 0)) grades.set(place, grade)
}
