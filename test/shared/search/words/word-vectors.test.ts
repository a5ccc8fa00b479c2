import { describe, expect, test } from 'vitest'
import { analyse } from '../../../../shared/search/words/analyse.ts'
import { vocabulary } from '../../../../shared/search/words/vocabulary.ts'
import { addWordVector, wordVectorComparison, wordVectorOf } from '../../../../shared/search/words/word-vectors.ts'

const numbers = (text: string) => analyse(text).map((term) => vocabulary().find(term) ?? -1)
const chunk = (title: string, prose: string) => wordVectorOf([numbers(title), [], [], numbers(prose), []])
const texts = {
  cookies: chunk('Session', 'The httpOnly and sameSite attributes protect the session token in the browser.'),
  database: chunk('Queries', 'Select rows of a table with a join and a transaction.'),
  build: chunk('Bundles', 'The compiler emits a minified bundle with source maps.'),
}
const mean = new Float32Array(vocabulary().dimensions)
for (const each of Object.values(texts)) if (each) addWordVector(each, mean)
mean.forEach((each, i) => {
  mean[i] = each / 3
})
const nearest = (question: string) => {
  const compare = wordVectorComparison(analyse(question), mean)
  return Object.entries(texts).sort(([, a], [, b]) => compare(b) - compare(a))[0]?.[0]
}

describe('the word vector of a text', () => {
  test.each([
    ['cookie', 'cookies'],
    ['sqlite', 'database'],
    ['webpack', 'build'],
  ])('brings %s nearest to the section about %s, which does not contain the word', (question, about) => {
    expect(nearest(question)).toBe(about)
  })

  test('is missing for a text or question without a known word, and in a library without a mean', () => {
    expect(chunk('Zzzz', 'qqqq')).toBeUndefined()
    expect(wordVectorComparison(['zzzz'], mean)(texts.build)).toBe(0)
    expect(wordVectorComparison(['webpack'], undefined)(texts.build)).toBe(0)
    expect(wordVectorComparison(['webpack'], mean)(undefined)).toBe(0)
  })

  test('takes a byte for each number', () => {
    expect(texts.build?.byteLength).toBe(96)
  })
})
