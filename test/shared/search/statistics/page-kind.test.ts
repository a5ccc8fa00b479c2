import { expect, test } from 'vitest'
import { pageKind } from '../../../../shared/search/statistics/page-kind.ts'

const kinds = (path: string) =>
  Object.entries(pageKind(path))
    .filter(([, is]) => is)
    .map(([kind]) => kind)

test.each([
  ['docs/paint.md', []],
  ['docs/index.md', ['front']],
  ['README.md', ['front']],
  ['CHANGELOG.md', ['change']],
  ['docs/release_notes/x.md', ['change']],
  ['docs/migrating-from-two.md', ['change']],
  ['blog/2024-05-06/x.md', ['change', 'blog']],
  ['docs/v1.2.md', ['change']],
  ['docs/notes-1.0_beta_2.rst', ['change']],
  ['docs/1.0(beta)2.0.md', []],
  ['docs/1.0--beta.md', []],
  ['docs/1.0', []],
  ['src/news.ts', ['change', 'source']],
  ['Changelog.rst', ['change']],
  ['docs/changelog/2.x.md', ['change']],
  ['docs/history/whatsnew-5.1.rst', ['change']],
  ['setup/upgrade_major.rst', ['change']],
  ['resources/migration/updating.mdx', ['change']],
  ['guide/migrating-5.mdx', ['change']],
  ['appendices/4-0-migration-guide.rst', ['change']],
  ['HISTORY.md', ['change']],
  ['content/modules/history_visibility.md', []],
  ['content/modules/room_upgrades.md', []],
  ['docs/api/history.md', []],
  ['docs/migrations.md', []],
  ['docs/debugging-release-builds.md', []],
  ['website/_posts/paint.md', ['blog']],
  ['docs/tutorials/first-kit/two.md', ['tutorial']],
  ['docs/tutorials/blog/part-one.md', ['tutorial']],
  ['docs/tutorial.md', []],
  ['CONTRIBUTING.md', ['project']],
  ['docs/contributing/bugs.md', ['project']],
  ['community/meeting-notes/may.md', ['project']],
  ['docs/maintainers.rst', ['project']],
  ['rfcs/0001-paint.md', ['project']],
  ['SECURITY.md', ['project']],
  ['docs/guide/security.md', []],
])('the page %s is of the kinds %j', (path, expected) => {
  expect(kinds(path)).toEqual(expected)
})

/** The same rule as a regular expression over the whole stem. */
function isNamedByVersion(path: string): boolean {
  const stem = path.replace(/\.[a-z]+$/i, '')
  if (stem.length === path.length) return false
  const lastBreak = [...stem.matchAll(/[^\w.-]|[.-](?!\w)/g)].at(-1)?.index ?? 0
  return /(?:^|[/_-])v?\d+[._-]\d+(?:[._-]\w|$)/i.test(stem.slice(lastBreak))
}

test('a page is named by a version if the text after its last break is one', () => {
  const characters = ['1', '1', '2', '2', '.', '_', 'v', 'a', '_', '.', '-', '/', ' ', '!', 'é', '😀']
  let seed = 1
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  let named = 0
  for (let i = 0; i < 20_000; i++) {
    const path = `${Array.from({ length: next(12) }, () => characters[next(characters.length)]).join('')}${next(4) > 0 ? '.md' : ''}`
    const expected = isNamedByVersion(path)
    expect(pageKind(path).change, path).toBe(expected)
    if (expected) named += 1
  }
  expect(named).toBeGreaterThan(100)
})

test('500 paths made to stall the check are classified before the limit of a test', () => {
  for (const part of ['-', '.', '1.-', '_a', '_1', '.1', '-1_', '/1.0', '1', '/migrat']) {
    const paths = Array.from({ length: 500 }, (_, n) => `${part.repeat(20_000)}${n}.md`)
    // Steps that grow with the square of the length would take minutes.
    for (const path of paths) pageKind(path)
  }
})
