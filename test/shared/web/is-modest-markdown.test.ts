import { expect, test } from 'vitest'
import { isModestMarkdown } from '../../../shared/web/snippet/is-modest-markdown.ts'

test.each([
  ['nested quotations', '> '.repeat(2_500)],
  ['nested lists', '- '.repeat(1_000)],
  ['nested numbered lists', '1. '.repeat(1_000)],
  ['a table of many columns and rows', `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|b\n'.repeat(500)}`],
  ['open and closed strikes', '~a~~b'.repeat(4_000)],
  ['a megabyte', 'The anvil is heavy. '.repeat(52_000)],
])('%s are shown as they are written', (_, markdown) => {
  expect(isModestMarkdown(markdown)).toBe(false)
})

test.each([
  ['a long page', 'The anvil is heavy. '.repeat(2_000)],
  ['a table of a reference', `| a | b | c |\n| - | :-: | - |\n${'| x | y | z |\n'.repeat(1_000)}`],
  ['a quotation in a list in a list', '- a\n  - b\n    > c\n'.repeat(500)],
  ['a rule', '- - - - - - - - - - - - - -\n\n* * *\n\n----------'],
  ['code', '```sh\ncd ~/anvil\n```'],
])('%s is rendered', (_, markdown) => {
  expect(isModestMarkdown(markdown)).toBe(true)
})
