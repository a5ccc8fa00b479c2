import { describe, expect, test } from 'vitest'
import { ancestors, mergeSelection, type Selection, selector } from '../../../../shared/reading/discover/selection.ts'

/** Asks in the order of a walk from the root: every folder above first, then the file. */
const isIn = (selection: Selection, path: string): boolean => {
  const { excludedBy, includes } = selector(selection)
  return (
    ancestors(path)
      .slice(0, -1)
      .every((folder) => excludedBy(folder) === undefined) && includes(path)
  )
}

describe('the include decision', () => {
  test.each([
    [['dist'], 'dist/a.md', false],
    [['dist'], 'docs/dist/a.md', false],
    [['dist'], 'docs/dist.md', true],
    [['dist'], 'docs/distance/a.md', true],
    [['./dist'], 'dist/a.md', false],
    [['./dist'], 'docs/dist/a.md', true],
    [['docs/api'], 'docs/api/v/a.md', false],
    [['docs/api/'], 'docs/api/a.md', false],
    [['docs/api'], 'packages/docs/api/a.md', true],
    [['*.test'], 'docs/a.test/b.md', false],
    [['temp*'], 'x/temporary/b.md', false],
    [['temp*'], 'x/temporary.md', true],
    [['**/dist'], 'dist/a.md', false],
    [['**/dist'], 'a/b/dist/c/d.md', false],
    [['docs/**/internal'], 'docs/internal/a.md', false],
    [['docs/**/internal'], 'docs/a/b/internal/c.md', false],
    [['docs/**/internal'], 'internal/a.md', true],
    [['src/**/*.test.md'], 'src/a/b.test.md', false],
    [['src/**/*.test.md'], 'src/a/b.md', true],
    [['[slug]'], 'app/[slug]/a.md', false],
    [[''], 'docs/a.md', true],
  ])('applies excludeFolders %j to %s: %s', (excludeFolders, path, expected) => {
    expect(isIn({ excludeFolders }, path)).toBe(expected)
  })

  test.each([
    [['docs'], 'docs/a.md', true],
    [['docs'], 'docs/b/c/a.rst', true],
    [['docs'], 'src/docs/a.md', false],
    [['./docs/'], 'docs/a.md', true],
    [['packages/*/docs'], 'packages/one/docs/a.md', true],
    [['packages/*/docs'], 'packages/one/a.md', false],
    [['docs'], 'README.md', true],
    [['docs'], 'GUIDE.MDX', true],
    [['docs'], 'README.rst', false],
    [['docs/intro.md'], 'docs/intro.md', true],
    [['docs/intro.md'], 'docs/other.md', false],
    [[], 'anywhere/a.md', true],
    [['.'], 'anywhere/a.md', true],
  ])('applies folders %j to %s: %s', (folders, path, expected) => {
    expect(isIn({ folders }, path)).toBe(expected)
  })

  test('excludes a folder as a whole by a pattern that ends in a globstar', () => {
    expect(selector({ excludeFolders: ['docs/**'] }).excludedBy('docs')).toBe('docs/**')
  })

  test('prefers excludeFolders to folders', () => {
    expect(isIn({ folders: ['docs/internal'], excludeFolders: ['internal'] }, 'docs/internal/a.md')).toBe(false)
  })

  test.each([
    [['notes.md'], 'docs/notes.md', false],
    [['notes.md'], 'docs/my-notes.md', true],
    [['*.draft.md'], 'docs/a.draft.md', false],
    [['docs/*.txt'], 'docs/a.txt', false],
  ])('applies excludeFiles %j to %s: %s', (excludeFiles, path, expected) => {
    expect(isIn({ excludeFiles }, path)).toBe(expected)
  })
})

describe('the default selection', () => {
  test.each([
    'CHANGELOG.md',
    'docs/changelog.mdx',
    'LICENSE.md',
    'docs/CODE_OF_CONDUCT.md',
    'my-archive-2020/a.md',
    'docs/old/a.md',
    'x/old/a.md',
    'docs/legacy-api/a.md',
    'deprecated/a.md',
  ])('excludes %s', (path) => {
    expect(isIn({}, path)).toBe(false)
  })

  test.each(['docs/archive.md', 'docs/older/a.md', 'i18n/en/a.md', 'docs/zh-cn/a.md', 'docs/changelog.rst'])(
    'includes %s',
    (path) => {
      expect(isIn({}, path)).toBe(true)
    },
  )

  test('is replaced field by field, also by an empty field', () => {
    expect(isIn({ excludeFiles: [] }, 'CHANGELOG.md')).toBe(true)
    expect(isIn({ excludeFiles: [] }, 'old/a.md')).toBe(false)
    expect(isIn({ excludeFolders: [] }, 'old/a.md')).toBe(true)
  })

  test("is replaced by the owner's settings, and those by the request, field by field", () => {
    const owner = { folders: ['docs'], excludeFiles: ['a.md'] }
    expect(mergeSelection({ folders: ['src'] }, owner)).toEqual({
      folders: ['src'],
      excludeFolders: undefined,
      excludeFiles: ['a.md'],
    })
  })
})

describe('a wildcard', () => {
  test.each([
    ['*', 'anything', true],
    ['a*', 'a', true],
    ['*.test', '.test', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a**c', 'abc', true],
    ['v?', 'v1', true],
    ['v?', 'v', false],
    ['v?', 'v10', false],
    ['*?x', 'x', false],
    ['*?x', 'abx', true],
    ['a?b*c?d', 'a1b23c4d', true],
    ['a?b*c?d', 'a1b23cd', false],
    ['*a??b*', 'aab-a12b-', true],
    ['*a??b*', 'aab-a1b-', false],
    ['*??', 'a', false],
    ['??', '??', true],
    ['.*', '.hidden', true],
    ['{a,b}', 'a', false],
    ['{a,b}', '{a,b}', true],
    ['(group)', '(group)', true],
    ['!a', 'b', false],
  ])('matches "$1" in the pattern "$0": $2', (pattern, name, matched) => {
    expect(isIn({ excludeFolders: [pattern] }, `${name}/a.md`)).toBe(!matched)
  })
})

describe('a path in `folders`', () => {
  test.each([
    ['vendor', 'vendor', true],
    ['vendor/docs', 'vendor', true],
    ['packages/*/vendor', 'packages/one/vendor', true],
    ['**/vendor', 'a/b/vendor', true],
    ['vendor', 'docs/vendor', false],
    ['*', 'vendor', false],
    ['**', 'vendor', false],
    ['docs', 'docs/vendor', false],
  ])('names "$1" if it is "$0": $2', (named, folder, expected) => {
    expect(selector({ folders: [named] }).leadsToNamed(folder)).toBe(expected)
  })
})

describe('a pattern from a stranger', () => {
  const many = (pattern: string) => Array.from({ length: 200 }, () => pattern)

  test.each([
    ['many wildcards', `${'*a'.repeat(120)}q`, `${'a'.repeat(250)}/x.md`],
    ['single wildcards', `*${'a'.repeat(115)}?${'a'.repeat(100)}?${'a'.repeat(10)}b`, `${'a'.repeat(240)}/x.md`],
    ['a long end', `*${'a'.repeat(120)}b`, `${'a'.repeat(250)}/x.md`],
    ['many globstars', `${'**/a/'.repeat(40)}b`, `${'a/'.repeat(900)}x.md`],
    ['the look of a regular expression', '(a+)+$', `${'a'.repeat(200)}b/x.md`],
  ])('is matched with a long path in time: $0', (_, pattern, path) => {
    const { excludedBy, includes, inScope } = selector({
      excludeFolders: many(pattern),
      excludeFiles: many(pattern),
      folders: many(pattern),
    })
    expect([excludedBy(path), includes(path), inScope(path)]).toEqual([undefined, false, false])
  })
})
