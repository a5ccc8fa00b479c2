import { expect, test } from 'vitest'
import { codeChars, codeLanguages } from '../../../../shared/search/rows/code-languages.ts'

const mainOf = (...blocks: [language: string, code: string][]) => {
  const languages = codeLanguages()
  for (const [language, code] of blocks) languages.add(codeChars([{ language, code }]))
  return languages.main()
}

test('the language of most characters of code is the main one, under all its names', () => {
  expect(mainOf(['js', 'four'], ['ts', 'two'], ['TSX', 'two'])).toBe('TypeScript')
})

test('shells, data and markup are no language of a library', () => {
  expect(mainOf(['bash', 'npm install'.repeat(9)], ['json', '{"a": 1}'.repeat(9)], ['', 'text'.repeat(9)], ['python', 'x'])).toBe(
    'Python',
  )
  expect(mainOf(['bash', 'ls'], ['__proto__', 'x'], ['constructor', 'x'])).toBe(undefined)
})

test('the first language in the alphabet is the main one of two with as much code', () => {
  expect(mainOf(['rust', 'x'], ['go', 'x'])).toBe('Go')
})
