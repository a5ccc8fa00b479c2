import { expect, test } from 'vitest'
import { countTerms } from '../../../../shared/search/ranking/count-terms.ts'

/** The title twice, then the other fields. */
const row = (...[title = '', ...others]: string[]) => {
  const fields = [title, ...others].map((each) => each.split(' ').filter(Boolean))
  return { terms: [...fields.slice(0, 1), ...fields].flat().join(' '), lengths: fields.map(({ length }) => length) }
}

test('terms are counted whole by field, with the title once', () => {
  const cookies = row('cooki', 'helper cooki', 'cooki', 'set cooki cookies setcooki cooki', 'getcooki cooki', 'cooki')
  expect(Object.fromEntries(countTerms(cookies, ['cooki', 'setcooki', 'helper', 'ook', 'absent']))).toEqual({
    cooki: [1, 1, 1, 2, 1, 1],
    setcooki: [0, 0, 0, 1, 0, 0],
    helper: [0, 1, 0, 0, 0, 0],
  })
})
