import { expect, test } from 'vitest'
import { countTerms } from '../../../../shared/search/ranking/count-terms.ts'

/** The title twice, then the other fields. */
const row = (title: string, crumbs: string, page: string, prose: string, code: string, path: string, lead: number) => {
  const fields = [title, crumbs, page, prose, code, path].map((each) => each.split(' ').filter(Boolean))
  return {
    terms: [...fields.slice(0, 1), ...fields].flat().join(' '),
    lengths: [...fields.map(({ length }) => length), lead],
  }
}

const found = (...[of, wanted]: Parameters<typeof countTerms>) => {
  const { counts, inLead } = countTerms(of, wanted)
  return { counts: Object.fromEntries(counts), inLead: [...inLead] }
}

test('terms are counted whole by field, with the title once', () => {
  const cookies = row('cooki', 'helper cooki', 'cooki', 'set cooki cookies setcooki cooki', 'getcooki cooki', 'cooki', 2)
  expect(found(cookies, ['cooki', 'setcooki', 'helper', 'ook', 'absent'])).toEqual({
    counts: { cooki: [1, 1, 1, 2, 1, 1], setcooki: [0, 0, 0, 1, 0, 0], helper: [0, 1, 0, 0, 0, 0] },
    inLead: ['cooki'],
  })
})

test('the first paragraph is the lead, or the code if there is no prose', () => {
  const wanted = ['late', 'code', 'first']
  expect(found(row('', '', '', 'first late', 'code', '', 1), wanted).inLead).toEqual(['first'])
  expect(found(row('', '', '', '', 'first code', 'late', 0), wanted).inLead).toEqual(['code', 'first'])
  expect(found({ terms: 'first late', lengths: [0, 0, 0, 2, 0, 0] }, wanted).inLead).toEqual([])
})
