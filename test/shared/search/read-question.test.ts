import { describe, expect, test } from 'vitest'
import { analyse } from '../../../shared/search/analyse.ts'
import { readQuestion } from '../../../shared/search/read-question.ts'
import { packStatistics, readStatistics, statisticsBuilder } from '../../../shared/search/statistics.ts'
import { pageCounts } from '../../fixtures/page-counts.ts'

function libraryOf(text: string) {
  const words = new Set<string>()
  const terms = new Set(analyse(text, words))
  const builder = statisticsBuilder()
  builder.add(
    pageCounts(
      [...terms].map((term) => [term, 1, 1]),
      { words: [...words].map((word) => [word, 1]) },
    ),
  )
  return readStatistics(packStatistics(builder.total()))
}

const library = libraryOf('cookie middleware routing parseBody validators rate limit database how the')
const terms = (question: string) =>
  readQuestion(question, library).map((concept) => concept.map(({ term, weight }) => `${term} ${weight}`))

describe('a question', () => {
  test('asks for its content words, not for how it is asked', () => {
    expect(terms('how do I use the cookie middleware?')).toEqual([['cooki 1'], ['middlewar 1']])
  })

  test('of function words alone keeps them', () => {
    expect(terms('how the')).toEqual([['how 1'], ['the 1']])
  })

  test('finds an identifier by its parts and as a whole', () => {
    expect(terms('parse_body')).toEqual([['pars 1'], ['bodi 1'], ['parsebodi 1']])
  })

  test('with a misspelt word means the closest word of the library', () => {
    expect(terms('midleware')).toEqual([['middlewar 0.9']])
    expect(terms('vaildators')).toEqual([['valid 0.9']])
  })

  test('with a word that is close to nothing leaves it out', () => {
    expect(terms('quantum cookie')).toEqual([['cooki 1']])
  })

  test('splits two words written together', () => {
    expect(terms('ratelimit')).toEqual([['rate 0.7'], ['limit 0.7']])
  })

  test('joins neighbours that the library writes as one word', () => {
    expect(terms('data base')).toContainEqual(['databas 0.5'])
  })

  test('about things the library does not know asks for nothing', () => {
    expect(terms('zzzz qqqq')).toEqual([])
  })

  test('of any length asks for at most 64 things', () => {
    const many = libraryOf(Array.from({ length: 200 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`).join(' '))
    const question = Array.from({ length: 200 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`).join(' ')
    expect(readQuestion(question, many).length).toBe(64)
  })
})
