import { describe, expect, test } from 'vitest'
import type { SiteLanguages } from '../../../../../shared/reading/discover/languages/site-languages.ts'
import { findTranslations } from '../../../../../shared/reading/discover/languages/translations.ts'

const english =
  'The router decides which of the pages is shown when you open an address, and it can wait for the data that a page needs before it is shown to you.'
const german =
  'Der Router entscheidet, welche der Seiten gezeigt wird, wenn man eine Adresse öffnet, und er kann auf die Daten warten, die eine Seite braucht.'
const italian =
  'Il router decide quale delle pagine viene mostrata quando si apre un indirizzo, e può aspettare i dati di cui una pagina ha bisogno per funzionare.'
const chinese = '路由器决定打开地址时显示哪个页面，并且可以等待页面需要的数据。'

/** Documents by path, each with its text, or paths of documents without prose. */
function found(documents: string[] | Record<string, string>, sites: SiteLanguages[] = []) {
  const texts = Array.isArray(documents) ? Object.fromEntries(documents.map((path) => [path, '# T'])) : documents
  const paths = Object.keys(texts).sort()
  const { main, languageOf, languages } = findTranslations(paths, sites, (path) => texts[path])
  const read = paths.filter((path) => languageOf(path) === undefined || languageOf(path) === main)
  return { main, read, codes: languages.map(({ code }) => code).sort() }
}

const repeat = (folders: string[], names: string[]): string[] =>
  folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))

describe('translations', () => {
  test.each<[string, string[], string, string[]]>([
    ['sibling folders', ['docs/en/guide.md', 'docs/de/guide.md', 'docs/ja/guide.md'], 'en', ['docs/en/guide.md']],
    ['folders of the root', ['en/a.rst', 'fr/a.rst', 'ja/a.rst', 'es/b.rst', 'README.md'], 'en', ['README.md', 'en/a.rst']],
    [
      'originals above the folders',
      ['docs/a/start.mdx', 'docs/zh-cn/a/start.mdx', 'docs/it/a/start.md', 'docs/de/b.md'],
      'en',
      ['docs/a/start.mdx'],
    ],
    [
      'a region',
      ['pages/docs/create.md', 'pages/zh_CN/docs/create.md', 'pages/id_ID/docs/create.md'],
      'en',
      ['pages/docs/create.md'],
    ],
    ['a folder for translations', ['i18n/fr/x/current/a.md', 'docs/b.md'], 'en', ['docs/b.md']],
    [
      'names of folders',
      ['docs/a.md', 'docs-zh/a.md', 'docs-zh/b.md', 'docs-zh/c.md', 'docs/b.md', 'docs/c.md'],
      'en',
      ['docs/a.md', 'docs/b.md', 'docs/c.md'],
    ],
    [
      'names of files',
      ['guide.md', 'guide.de.md', 'guide.zh-CN.md', 'more.en.md', 'more.fr.md'],
      'en',
      ['guide.md', 'more.en.md'],
    ],
    ['a README', ['README.md', 'README.zh-CN.md', 'README_ja.md', 'docs/README-de.md'], 'en', ['README.md']],
    [
      'an emoji "language"',
      repeat(['docs/en', 'docs/de', 'docs/em'], ['a.md', 'b.md', 'c.md']),
      'en',
      ['docs/en/a.md', 'docs/en/b.md', 'docs/en/c.md'],
    ],
    ['no English', ['docs/zh/a.md', 'docs/zh/b.md', 'docs/ja/a.md'], 'zh', ['docs/zh/a.md', 'docs/zh/b.md']],
    [
      'several places',
      [...repeat(['a/docs/en', 'a/docs/ko'], ['x.md', 'y.md']), 'b/docs/ko/z.md', 'b/docs/en/w.md'],
      'en',
      ['a/docs/en/x.md', 'a/docs/en/y.md', 'b/docs/en/w.md'],
    ],
  ])('are recognised by the same paths: %s', (_, paths, main, read) => {
    expect(found(paths)).toMatchObject({ main, read })
  })

  test.each<[string, string[]]>([
    ['subjects', ['docs/it/setup.md', 'docs/id/setup.md', 'docs/is/setup.md', 'docs/no/setup.md', 'docs/setup.md']],
    ['other names', ['docs/io/read.md', 'docs/go/read.md', 'docs/ts/read.md', 'docs/py/read.md', 'docs/ui/read.md']],
    ['C# and Perl', ['examples/cs/start.md', 'examples/pl/start.md', 'examples/java/start.md']],
    ['one language in a folder', ['docs/en/a.md', 'docs/en/b.md', 'README.md']],
    ['one other language in a folder', ['content/zh/a.md', 'content/zh/b.md']],
    ['index pages', ['docs/index.md', 'docs/it/index.md', 'docs/es/index.md'.replace('es', 'id')]],
    ['words at the end of names', ['user.md', 'user-id.md', 'sign.md', 'sign-in.md', 'make.md', 'make-it.md', 'user.id.md']],
    ['pages about languages', ['locales/de.md', 'locales/fr.md', 'locales/en.md']],
  ])('are not recognised by their name alone: %s', (_, paths) => {
    expect(found(paths).read).toEqual([...paths].sort())
  })

  test('are recognised in an ambiguous folder by the language of its text', () => {
    const documents = { 'docs/setup.md': english, 'docs/it/setup.md': italian }
    expect(found(documents)).toEqual({ main: 'en', read: ['docs/setup.md'], codes: ['en', 'it'] })
    expect(found({ ...documents, 'docs/it/setup.md': english }).read).toHaveLength(2)
  })

  test('leave an English folder between them alone', () => {
    const names = ['a.md', 'b.md']
    const documents = Object.fromEntries(
      repeat(['docs/en', 'docs/de', 'docs/id'], names).map((path) => [path, path.includes('/de/') ? german : english]),
    )
    expect(found({ ...documents, 'docs/id/c.md': english }).codes).toEqual(['de', 'en'])
  })

  test('are read if the main language of the site is not English', () => {
    const paths = ['docs/a.md', 'docs/en/a.md', 'docs/ko/a.md']
    expect(found(paths, [{ folder: '', codes: ['zh'], main: 'zh' }])).toMatchObject({ main: 'zh', read: ['docs/a.md'] })
  })

  test('are in English if originals in another language have an English translation', () => {
    const documents = { 'docs/a.md': chinese, 'docs/en/a.md': english, 'README.md': english }
    expect(found(documents)).toMatchObject({ main: 'en', read: ['README.md', 'docs/en/a.md'] })
  })

  test('are not preferred to the language of most pages if English has just been begun', () => {
    const pages = Array.from({ length: 20 }, (_, n) => `p${n}.md`)
    expect(found([...repeat(['docs/ja'], pages), 'docs/en/p1.md'])).toMatchObject({ main: 'ja' })
  })

  test('are declared by the site, also without a common path', () => {
    const sites = [{ folder: 'docs', codes: ['en', 'de'], main: 'en' }]
    expect(found(['docs/src/content/docs/a.md', 'docs/src/content/docs/de/b.md'], sites).read).toEqual([
      'docs/src/content/docs/a.md',
    ])
  })

  test('are a folder in another language that has no originals, if most documents are elsewhere', () => {
    const documents = { 'a.md': english, 'b.md': english, 'c.md': english, 'docs/zh-cn/d.md': chinese }
    expect(found(documents)).toMatchObject({ main: 'en', read: ['a.md', 'b.md', 'c.md'] })
    expect(found({ 'README.md': english, 'docs/zh-cn/d.md': chinese, 'docs/zh-cn/e.md': chinese }).read).toHaveLength(3)
  })

  test('leave a repository in one other language as it is', () => {
    const documents = { 'README.md': chinese, 'docs/a.md': chinese, 'docs/b.md': chinese }
    expect(found(documents)).toEqual({ main: 'zh', read: ['README.md', 'docs/a.md', 'docs/b.md'], codes: ['zh'] })
  })

  test('are looked for in a few texts only, also for paths made of language codes', () => {
    const reads: string[] = []
    const count = (paths: string[]) => findTranslations(paths, [], (path) => void reads.push(path)).languages
    count([`${'en/'.repeat(2_000)}a.md`, `${'de/en/'.repeat(1_000)}a.md`])
    count(Array.from({ length: 50_000 }, (_, n) => `docs/${n % 500}/${['en', 'de', 'it'][n % 3]}/page-${n >> 4}.md`))
    expect(reads.length).toBeLessThanOrEqual(800)
  })
})
