import { expect, test } from 'vitest'
import type { SnippetRow, SnippetStore } from '../../../../shared/search/rows/snippet-store.ts'
import { withCode } from '../../../../shared/search/rows/with-code.ts'
import { row } from '../../../contracts/snippet-row.ts'

const prose = row('3-4', 'lever', { page: 3, section: 7, code: [], content: 'Pull it.', toCode: 2 })
const code = row('3-6', 'lever', {
  page: 3,
  section: 7,
  content: 'Like this:\n\n```js\npull()\n```',
  code: [{ language: 'js', code: 'pull()' }],
})
const complete = async (known: SnippetRow[], stored: SnippetRow[] = []) => {
  const read: unknown[] = []
  const pageSnippets: SnippetStore['pageSnippets'] = async (...asked) => {
    read.push(asked)
    return stored
  }
  return { row: await withCode(prose, 'g1', known, { pageSnippets }), read }
}

test('the code of a section is taken from known rows, or read from the store', async () => {
  const expected = { ...prose, content: 'Pull it.\n\n```js\npull()\n```', code: code.code, tokens: 7 }
  expect(await complete([prose, code])).toEqual({ row: expected, read: [] })
  expect(await complete([prose], [code])).toEqual({ row: expected, read: [['g1', 3, { offset: 6, limit: 1 }]] })
})

test('a row of another section at that place is ignored', async () => {
  expect((await complete([], [{ ...code, section: 8 }])).row).toBeUndefined()
})
