import { expect, test } from 'vitest'
import { pageKind } from '../../../shared/search/page-kind.ts'

const kinds = (path: string) =>
  Object.entries(pageKind(path))
    .filter(([, is]) => is)
    .map(([kind]) => kind)

test.each([
  ['docs/paint.md', []],
  ['docs/index.md', ['guide']],
  ['README.md', ['guide']],
  ['CHANGELOG.md', ['change']],
  ['docs/release_notes/x.md', ['change']],
  ['docs/migrating-from-two.md', ['change']],
  ['blog/2024-05-06/x.md', ['change']],
  ['docs/v1.2.md', ['change']],
  ['docs/notes-1.0_beta_2.rst', ['change']],
  ['docs/1.0(beta)2.0.md', []],
  ['docs/1.0--beta.md', []],
  ['docs/1.0', []],
  ['src/news.ts', ['change', 'source']],
])('%s is of the kinds %j', (path, expected) => {
  expect(kinds(path)).toEqual(expected)
})

test('a path made to stall a regular expression is judged immediately', () => {
  for (const part of ['_a', '_1', '.1', '-1_', '/1.0', '1', '/migrat']) {
    const path = `docs/1.0${part.repeat(100_000)}!.md`
    const began = performance.now()
    pageKind(path)
    expect(performance.now() - began, part).toBeLessThan(1000)
  }
})
