import { readToken } from '../search/words/analyse.ts'
import { compoundTable } from '../search/words/compound-table.ts'
import { addNumber, type NumberList, numberList } from '../search/words/number-list.ts'
import { vocabulary } from '../search/words/vocabulary.ts'

/** Lists one after the other: list `i` begins at `starts[i]` in `numbers` and ends at `starts[i + 1]`. */
export type Lists = { all: NumberList; starts: NumberList }

/** Numbered texts. */
export type Numbered = { texts: string[]; numberOf(text: string): number }

/** The compounds, terms and words of all texts so far, each with a number. A compound: `app.onError`. */
export type KnownWords = {
  /** Appends the numbers of the compounds of a text, in their order. */
  readCompounds(text: string, numbers: NumberList): void
  terms: Numbered
  /** The number of each term in the vocabulary, -1 for an unknown one. */
  inVocabulary: NumberList
  /** The words as written. */
  words: Numbered
  /** The terms of each compound. */
  termsOf: Lists
  /** The words of each compound. */
  wordsOf: Lists
  /** The terms of each compound in UTF-8, each followed by a space. */
  textOf: { bytes: Buffer; starts: NumberList }
  /** True if it holds so much that it should be replaced. */
  isFull(): boolean
}

const maxKnown = 50_000

export function knownWords(): KnownWords {
  const compounds = compoundTable()
  const [terms, words] = [numbered(), numbered()]
  const inVocabulary = numberList()
  const [termsOf, wordsOf] = [lists(), lists()]
  const textOf = { bytes: Buffer.alloc(64 * 1024), starts: numberList(0) }
  const addTerm = (text: string) => {
    const number = terms.numberOf(text)
    if (number === inVocabulary.length) addNumber(inVocabulary, vocabulary().find(text) ?? -1)
    addNumber(termsOf.all, number)
  }
  const learn = (compound: string) => {
    const token = readToken(compound)
    for (const term of token.terms) addTerm(term)
    for (const word of token.words) if (word.length > 2) addNumber(wordsOf.all, words.numberOf(word))
    for (const word of token.joined) addNumber(wordsOf.all, words.numberOf(word))
    for (const { all, starts } of [termsOf, wordsOf]) addNumber(starts, all.length)
    addText(textOf, token.terms.map((term) => `${term} `).join(''))
  }
  return {
    readCompounds: (text, numbers) => compounds.read(text, numbers, learn),
    ...{ terms, inVocabulary, words, termsOf, wordsOf, textOf },
    isFull: () => Math.max(terms.texts.length, words.texts.length, compounds.size) > maxKnown,
  }
}

const lists = (): Lists => ({ all: numberList(), starts: numberList(0) })

function numbered(): Numbered {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  return {
    texts,
    numberOf(text) {
      let number = numbers.get(text)
      if (number === undefined) {
        number = texts.push(text) - 1
        numbers.set(text, number)
      }
      return number
    },
  }
}

function addText(texts: KnownWords['textOf'], text: string): void {
  const start = texts.starts.numbers[texts.starts.length - 1] as number
  if (start + 3 * text.length > texts.bytes.length)
    texts.bytes = Buffer.concat([texts.bytes, Buffer.alloc(texts.bytes.length + 3 * text.length)])
  addNumber(texts.starts, start + texts.bytes.write(text, start))
}
