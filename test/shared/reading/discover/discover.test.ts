import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { discover } from '../../../../shared/reading/discover/discover.ts'
import type { CloneSelection } from '../../../../shared/reading/discover/selection.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'carrel-discover-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(...paths: string[]): Promise<void> {
  for (const path of paths) await writeAs(path, '# Title\n')
}

async function writeAs(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), content)
}

async function found(selection: CloneSelection = {}, limits = { fileBytes: 1_000, files: 100 }) {
  const files: string[] = []
  const skipped: Record<string, string> = {}
  for await (const entry of discover(root, selection, limits)) {
    if ('reason' in entry) skipped[entry.path] = entry.reason
    else files.push(entry.path)
  }
  return { files: files.sort(), skipped }
}

describe('the documents of a repository', () => {
  test('are files of a document format in any folder', async () => {
    await write(
      'README.md',
      'docs/a.mdx',
      'docs/b.rst',
      'docs/c.adoc',
      'docs/d.ipynb',
      'docs/e.txt',
      'docs/f.html',
      'docs/G.MARKDOWN',
    )
    await write('src/main.ts', 'logo.png', 'Makefile', '.md')
    expect((await found()).files).toEqual([
      'README.md',
      'docs/G.MARKDOWN',
      'docs/a.mdx',
      'docs/b.rst',
      'docs/c.adoc',
      'docs/d.ipynb',
      'docs/e.txt',
      'docs/f.html',
    ])
  })

  test.each([
    ['tests/README.md', 'tests/: tests'],
    ['packages/kit/__tests__/page.html', 'packages/kit/__tests__/: tests'],
    ['tests/docs/index.rst', 'tests/: tests'],
    ['.github/CONTRIBUTING.md', '.github/: a folder of tools'],
    ['docs/.cursor/rules/style.md', 'docs/.cursor/: a folder of tools'],
    ['docs/node_modules/kit/README.md', 'docs/node_modules/: packages of others'],
    ['third_party/kit/README.md', 'third_party/: packages of others'],
    ['docs/_templates/class.rst', 'docs/_templates/: templates'],
    ['AGENTS.md', 'AGENTS.md: instructions for agents that work on the repository'],
    ['skills/paint/SKILL.md', 'skills/paint/SKILL.md: instructions for agents that work on the repository'],
    ['PULL_REQUEST_TEMPLATE.md', 'PULL_REQUEST_TEMPLATE.md: a form for issues or pull requests'],
    ['LICENSE.txt', 'LICENSE.txt: a license'],
    ['docs/LICENSE-MIT.html', 'docs/LICENSE-MIT.html: a license'],
    ['ThirdPartyNotices.txt', 'ThirdPartyNotices.txt: a license'],
    ['LANGS.md', 'LANGS.md: a list of languages'],
    ['cran-comments.md', 'cran-comments.md: notes for a package archive'],
    ['revdep/problems.md', 'revdep/: tests'],
    ['requirements.txt', 'requirements.txt: a list for programs'],
    ['requirements/extras/dev.txt', 'requirements/extras/dev.txt: a list for programs'],
    ['theme/partials/head.html', 'theme/partials/head.html: a template'],
    ['src/CMakeLists.txt', 'src/CMakeLists.txt: a list for programs'],
  ])('exclude %s and report %s, unless `folders` names it', async (path, report) => {
    await write(path)
    const reported = async (selection: CloneSelection) =>
      Object.entries((await found(selection)).skipped).map(([name, reason]) => `${name}: ${reason.replace(/: 1 file$/, '')}`)
    expect(await reported({})).toEqual([report])
    expect(await reported({ excludeFiles: [], excludeFolders: [] })).toEqual([report])
    expect(await found({ folders: [path] })).toEqual({ files: [path], skipped: {} })
    expect(await found({ folders: [dirname(path)] })).toEqual(
      report.includes('/: ') ? { files: [path], skipped: {} } : expect.objectContaining({ files: [] }),
    )
  })

  test.each([
    ...['AUTHORS.txt', 'llms.txt', 'agents.md', 'docs/claude.md', 'docs/notice.md', 'docs/license-keys.md'],
    ...['docs/tests/guide.html', 'docs/ROOT/pages/servlet/test/index.adoc', 'content/vendor/pay.md', 'src/.NET/start.md'],
    ...['docs/system-requirements.txt', 'testing/README.md', '.docs/guide.md'],
  ])('include a path that is like one of junk: %s', async (path) => {
    await write(path)
    expect(await found()).toEqual({ files: [path], skipped: {} })
  })

  test('are counted in one line per folder of junk, and one by one elsewhere', async () => {
    await write(...Array.from({ length: 5 }, (_, index) => `tests/${index}/page.html`), 'tests/CHANGELOG.md', 'tests/main.ts')
    await write('docs/LICENSE-MIT.md', 'docs/LICENSE-APACHE.md', 'docs/robots.txt')
    const { files, skipped } = await found()
    expect(files).toEqual([])
    expect(
      Object.entries(skipped)
        .map(([path, reason]) => `${path} ${reason}`)
        .sort(),
    ).toEqual([
      'docs/LICENSE-APACHE.md a license',
      'docs/LICENSE-MIT.md a license',
      'docs/robots.txt a list for programs',
      'tests/ tests: 6 files',
    ])
  })

  test('exclude templates of sites, but not pages about them', async () => {
    const prose = 'A page that tells in many plain words how the parts of a kit are put together and painted. '
    await writeAs('site/page.html', '{% extends "base.html" %}<h1>{{ page.title }}</h1>')
    await writeAs('site/list.html', `{{ define "main" }}<p>${prose.repeat(9)}</p>{{ end }}`)
    await writeAs('site/card.html', '<div v-if="open"><b>{{ name }}</b></div>')
    await writeAs('mail/welcome.txt', '{% load i18n %}Hello {{ name }}')
    await writeAs(
      'docs/start.html',
      `<h1>Start</h1>{% include head.html %}<p>${prose}</p><a href="{{ base }}/">Next</a><p>${prose}</p>`,
    )
    await writeAs('docs/jinja.html', '<h1>Inheritance</h1><pre>{% extends "base.html" %}</pre><script>{{#each}}</script>')
    const { files, skipped } = await found({ excludeFolders: [] })
    expect(files).toEqual(['docs/jinja.html', 'docs/start.html'])
    expect(Object.values(skipped).sort().join()).toBe('a template,a template; likewise 2 more files of this folder')
  })

  test('exclude text files that hold data', async () => {
    const lines = (line: (n: number) => string) => Array.from({ length: 50 }, (_, n) => line(n)).join('\n')
    const data = {
      unicode: lines((n) => `${n};LETTER WITH A LONG NAME OF MANY WORDS;Lu;0;`),
      words: `# Words that the stemmer leaves as they are.\n${lines((n) => `word${n}`)}`,
      table: lines((n) => `paint the kit and dry it\t${n}\tyes`),
      output: lines((n) => `ok ${n} - paint (${n} ms)`),
      version: '1.2.3\n',
      pins: 'kit[paint]>=1.2,<2\nbrush==1.0',
    }
    const text = {
      manual: lines((n) => (n % 4 === 0 ? 'The painter takes one colour after the other.' : `    paint ${n}`)),
      japanese: lines(() => 'このキットは部品に色を塗るためのものです。'),
      llms: `# Kit\n\n${lines((n) => `- [Page ${n}](https://kit.dev/${n})`)}`,
      short: 'paint\nkit',
    }
    for (const [name, content] of Object.entries({ ...data, ...text })) await writeAs(`${name}/${name}.txt`, content)
    const { files, skipped } = await found({}, { fileBytes: 9_000, files: 100 })
    expect(files).toEqual(
      Object.keys(text)
        .map((name) => `${name}/${name}.txt`)
        .sort(),
    )
    expect(skipped).toEqual(Object.fromEntries(Object.keys(data).map((name) => [`${name}/${name}.txt`, 'data'])))
    expect((await found({ folders: ['words/words.txt'] })).files).toEqual(['words/words.txt'])
  })

  test('are counted by extension if no reader has their format', async () => {
    await write('docs/b.org', 'docs/a.ORG', 'docs/guide.pod', 'tests/c.org', 'src/d.org', 'docs/x.md')
    expect(await found({ folders: ['docs'] })).toEqual({
      files: ['docs/x.md'],
      skipped: {
        '*.org': 'a format that is not read: 2 files, the first is docs/a.ORG',
        '*.pod': 'a format that is not read: docs/guide.pod',
      },
    })
  })

  test('are listed with the pattern of excludeFiles that excluded them, the first thousand one by one', async () => {
    await write(...Array.from({ length: 1_005 }, (_, n) => `docs/x${n}.md`), 'a.md', 'b/x.md', 'x.ts', 'CHANGELOG.md')
    const limits = { fileBytes: 1_000, files: 5_000 }
    expect((await found({}, limits)).skipped).toEqual({ 'CHANGELOG.md': 'excludeFiles: CHANGELOG.md' })
    const { files, skipped } = await found({ excludeFiles: ['x*'], excludeFolders: ['b'] }, limits)
    expect(files).toEqual(['CHANGELOG.md', 'a.md'])
    const reasons = Object.values(skipped)
    expect(reasons.filter((reason) => reason === 'excludeFiles: x*')).toHaveLength(1_000)
    expect(reasons.filter((reason) => reason !== 'excludeFiles: x*').sort()).toEqual([
      'excludeFiles: x*; likewise 4 more files of this folder',
      'excludeFolders: b',
    ])
  })

  test('are read from a test folder that `folders` names, with the folders below it', async () => {
    await write('tests/pages/fixtures/a.html', 'tests/robots.txt', 'tests/pages/node_modules/b.md')
    expect((await found({ folders: ['tests/pages'] })).files).toEqual(['tests/pages/fixtures/a.html'])
    expect((await found({ folders: ['tests'] })).files).toEqual(['tests/pages/fixtures/a.html'])
  })

  test('include JSON and YAML only if it declares OpenAPI', async () => {
    await writeAs('api/a.json', '{"info": {}, "openapi": "3.1.0"}')
    await writeAs('api/b.yaml', 'swagger: "2.0"\n')
    await writeAs('api/c.yml', '# the API\nopenapi: 3.0.3\n')
    await writeAs('package.json', '{"name": "x"}')
    await writeAs('values.yaml', 'nested:\n  openapi: 3.0.0\n')
    await writeAs('large.json', `{"data": "${'x'.repeat(2_000)}"}`)
    expect(await found()).toEqual({ files: ['api/a.json', 'api/b.yaml', 'api/c.yml'], skipped: {} })
  })

  test('include OpenAPI whose key comes after a megabyte of schemas', async () => {
    const schemas = Array.from({ length: 20_000 }, (_, n) => [
      `Schema${n}`,
      { type: 'object', description: '"openapi": "3.0.0"' },
    ])
    await writeAs(
      'api/a.json',
      JSON.stringify({ components: { schemas: Object.fromEntries(schemas) }, openapi: '3.1.0', paths: {} }),
    )
    await writeAs(
      'api/b.json',
      JSON.stringify({ definitions: Object.fromEntries(schemas), paths: {}, swagger: '2.0' }, undefined, 2),
    )
    await writeAs('api/c.yaml', `components:\n${'  schema: {type: object}\n'.repeat(50_000)}openapi: 3.0.3\n`)
    await writeAs('api/nested.json', JSON.stringify({ specs: [Object.fromEntries(schemas), { openapi: '3.1.0' }], version: 1 }))
    const limits = { fileBytes: 10_000_000, files: 10 }
    expect(await found({}, limits)).toEqual({ files: ['api/a.json', 'api/b.json', 'api/c.yaml'], skipped: {} })
  })

  test('follow the selection, and report the excluded folders', async () => {
    await write('README.md', 'docs/a.md', 'docs/internal/b.md', 'src/c.md', 'src/old/d.md')
    expect(await found({ folders: ['docs'], excludeFolders: ['internal', 'old'] })).toEqual({
      files: ['README.md', 'docs/a.md'],
      skipped: { 'docs/internal/': 'excludeFolders: internal' },
    })
  })

  test('follow the version that a Docusaurus site shows, unless others are requested', async () => {
    await write('docs/guide.md', 'versioned_docs/version-2/guide.md', 'versioned_docs/version-1/guide.md')
    await writeAs('versions.json', '["2", "1"]')
    expect(await found()).toEqual({
      files: ['versioned_docs/version-2/guide.md'],
      skipped: {
        'docs/': 'an unreleased version of versioned_docs/version-2/',
        'versioned_docs/version-1/': 'an older version of versioned_docs/version-2/',
      },
    })
    expect((await found({ folders: ['docs'] })).files).toEqual(['docs/guide.md'])
    await writeAs('docusaurus.config.js', `export default { docs: { lastVersion: 'current' } }`)
    expect((await found()).files).toEqual(['docs/guide.md'])
  })

  test('skip older versions next to a newer one, unless they are requested', async () => {
    await write('docs/v1/a.md', 'docs/v2/a.md', 'docs/guide/a.md')
    expect(await found()).toEqual({
      files: ['docs/guide/a.md', 'docs/v2/a.md'],
      skipped: { 'docs/v1/': 'an older version of docs/v2/' },
    })
    expect((await found({ folders: ['docs/v1', 'docs/v2'] })).files).toEqual(['docs/v1/a.md', 'docs/v2/a.md'])
  })

  test('skip a file over the size limit with both figures', async () => {
    await writeAs('big.md', 'x'.repeat(1_001))
    expect(await found()).toEqual({ files: [], skipped: { 'big.md': '1001 bytes, more than the limit of 1000' } })
  })

  test('are limited in number, and the report has the limit', async () => {
    await write('a.md', 'b.md', 'c.md')
    const { files, skipped } = await found({}, { fileBytes: 1_000, files: 2 })
    expect(files).toHaveLength(2)
    expect(Object.values(skipped)).toEqual(['only the first 2 documents are read; this one and the following are skipped'])
  })

  test('may have line breaks in their names', async () => {
    await write('docs/a\nb.md')
    expect((await found()).files).toEqual(['docs/a\nb.md'])
  })

  test('skip names that are not UTF-8 with a name that can be printed', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]), '# x')
    await mkdir(Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xff])]))
    expect(await found()).toEqual({
      files: [],
      skipped: { 'caf\uFFFD.md': 'its name is not valid UTF-8', 'd\uFFFD/': 'its name is not valid UTF-8' },
    })
  })

  test('are never outside the repository: a link that leaves the tree is skipped', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'carrel-outside-'))
    await writeFile(join(outside, 'secret.md'), 'secret')
    await symlink(join(outside, 'secret.md'), join(root, 'a.md'))
    await symlink(outside, join(root, 'docs'))
    await symlink('nowhere.md', join(root, 'b.md'))
    const reason = 'a link that is broken or leads out of the repository'
    expect(await found()).toEqual({ files: [], skipped: { 'a.md': reason, docs: reason, 'b.md': reason } })
    await rm(outside, { recursive: true })
  })

  test('include the target of a link inside the tree once', async () => {
    await write('packages/x/README.md', 'docs/a.md', 'docs/old/config.md')
    await symlink('../packages/x/README.md', join(root, 'docs/x.md'))
    await symlink('../packages/x/README.md', join(root, 'docs/y.md'))
    await symlink('old/config.md', join(root, 'docs/z.md'))
    await symlink('../packages', join(root, 'docs/packages'))
    const skipped = {
      'docs/packages': 'a link to a folder: packages/ is read at its own path',
      'docs/old/': 'excludeFolders: old',
    }
    expect(await found()).toEqual({ files: ['docs/a.md', 'packages/x/README.md'], skipped })
    const links = [{ path: 'docs/packages', target: 'packages' }]
    expect(await found({ folders: ['docs'], links })).toEqual({ files: ['docs/a.md', 'packages/x/README.md'], skipped })
  })
})

describe('the documents of a repository with translations', () => {
  const languages = ['docs/de/guide.md', 'docs/en/guide.md', 'docs/ja/guide.md']

  test('are those of the main language, and the report has the folders of the others', async () => {
    await write(...languages, 'README.md', 'README.de.md')
    const { files, skipped } = await found()
    expect(files).toEqual(['README.md', 'docs/en/guide.md'])
    expect(skipped).toEqual({
      'README.de.md': 'in German (de), which languages does not name',
      'docs/de/': 'in German (de), which languages does not name',
      'docs/ja/': 'in Japanese (ja), which languages does not name',
    })
  })

  test.each([
    [
      ['en', 'de'],
      ['docs/de/guide.md', 'docs/en/guide.md'],
    ],
    [['DE'], ['docs/de/guide.md']],
    [['fr'], ['docs/en/guide.md']],
  ])('are those of the languages %j', async (chosen, files) => {
    await write(...languages)
    expect((await found({ languages: chosen })).files).toEqual(files)
  })

  test('include a translation that `folders` names', async () => {
    await write(...languages)
    expect((await found({ folders: ['docs/de', 'docs/en'] })).files).toEqual(['docs/de/guide.md', 'docs/en/guide.md'])
  })

  test('have their language, and a link to another language has the reason', async () => {
    await write(...languages, 'site/a.md')
    await symlink('../docs/de', join(root, 'site/de'))
    const entries = await Array.fromAsync(discover(root, { languages: ['en', 'ja'] }, { fileBytes: 1_000, files: 100 }))
    expect(entries).toContainEqual({ path: 'docs/ja/guide.md', sizeBytes: 8, language: 'ja' })
    expect(entries).toContainEqual({
      path: 'site/de',
      reason: 'a link to a folder: docs/de/ is not read (docs/de/: in German (de), which languages does not name)',
    })
  })

  test('are limited in number after the translations are left out', async () => {
    await write(...languages, 'docs/de/b.md', 'docs/ja/b.md')
    expect((await found({}, { fileBytes: 1_000, files: 1 })).files).toEqual(['docs/en/guide.md'])
  })
})

test('a README in English is read with documentation in other languages, unless the languages are chosen', async () => {
  const english =
    'This is the library that reads the pages of a book and shows them to you when you ask for them with the name of a page.'
  await write('docs/zh/a.md', 'docs/zh/b.md', 'docs/zh/c.md', 'docs/ja/a.md')
  await writeAs('README.md', `# Book\n\n${english}\n`)
  expect((await found()).files).toEqual(['README.md', 'docs/zh/a.md', 'docs/zh/b.md', 'docs/zh/c.md'])
  expect((await found({ languages: ['ja'] })).files).toEqual(['docs/ja/a.md'])
})
