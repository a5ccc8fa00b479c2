import fc from 'fast-check'
import { expect, test } from 'vitest'
import { termCounter } from '../../../../shared/search/ranking/count-terms.ts'

/** The title twice, then the other fields. */
const row = (...[title = '', ...others]: string[]) => {
  const fields = [title, ...others].map((each) => each.split(' ').filter(Boolean))
  return { terms: [...fields.slice(0, 1), ...fields].flat().join(' '), lengths: fields.map(({ length }) => length) }
}

test('terms are counted whole by field, with the title once', () => {
  const cookies = row('cooki', 'helper cooki', 'cooki', 'set cooki cookies setcooki cooki', 'getcooki cooki', 'cooki')
  expect(Object.fromEntries(termCounter(['cooki', 'setcooki', 'helper', 'ook', 'absent'])(cookies))).toEqual({
    cooki: [1, 1, 1, 2, 1, 1],
    setcooki: [0, 0, 0, 1, 0, 0],
    helper: [0, 1, 0, 0, 0, 0],
  })
})

test('a row that was counted for one question is counted for the terms of the next', () => {
  const asked = row('cooki', 'helper', 'page', 'set cooki', 'getcooki', 'path')
  expect(termCounter(['cooki'])(asked)).toEqual(new Map([['cooki', [1, 0, 0, 1, 0, 0]]]))
  expect(termCounter(['set', 'helper', 'cook'])(asked)).toEqual(
    new Map([
      ['helper', [0, 1, 0, 0, 0, 0]],
      ['set', [0, 0, 0, 1, 0, 0]],
    ]),
  )
})

test('any terms are counted as in their fields', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', 'é', '日本', 'Aa', 'BB'), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(words, { minLength: 6, maxLength: 6 }), words, (fields, wanted) => {
      const expected = [...new Set(wanted)]
        .map((term) => [term, fields.map((field) => field.filter((each) => each === term).length)] as const)
        .filter(([, counts]) => counts.some((each) => each > 0))
      expect(termCounter(wanted)(row(...fields.map((field) => field.join(' '))))).toEqual(new Map(expected))
    }),
  )
})
