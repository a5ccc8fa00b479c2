import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { copiesOf } from '../../shared/web/playground/copies-of.ts'

/** The words that a POSIX shell passes to a command. */
const wordsOf = (name: 'carrel' | 'curl', line = '') =>
  execFileSync('sh', ['-c', `${name}() { printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

const setting = { tokens: 5000, fast: false, vectors: true }
const library = '/acme/anvil'

test.each(['what\'s $(id) `id` \\ "x" ; rm -rf / & |', 'two\nlines', '*', '!!'])(
  'a shell passes the question %j as one word',
  (question) => {
    const copies = copiesOf('http://127.0.0.1:3000', { library, question }, setting)
    expect(wordsOf('carrel', copies['carrel ask'])).toEqual(['ask', library, question])
    const [address = ''] = wordsOf('curl', copies.curl)
    expect(new URL(address).searchParams.get('query')).toBe(question)
  },
)

test('carrel ask has the length of the setting, and no question is read as an option', () => {
  const copies = copiesOf('http://127.0.0.1:3000', { library, question: '--json' }, { ...setting, tokens: 800 })
  expect(wordsOf('carrel', copies['carrel ask'])).toEqual(['ask', '--tokens', '800', '--', library, '--json'])
})

test('a question to all libraries names none', () => {
  const copies = copiesOf('http://127.0.0.1:3000', { library: 'all', question: 'weight' }, setting)
  expect(wordsOf('carrel', copies['carrel ask'])).toEqual(['ask', '--all', 'weight'])
  expect(wordsOf('curl', copies.curl)).toEqual(['http://127.0.0.1:3000/api/v2/search?query=weight&tokens=5000'])
  expect(copies['MCP call']).not.toContain('libraryId')
})
