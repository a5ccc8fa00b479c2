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

  test('are found in any folder that no pattern excludes, also in vendored code and tool folders', async () => {
    const paths = ['.github/a.md', 'docs/vendor/b.md', 'node_modules/c/README.md', 'third_party/d.rst', 'venv/e.txt', 'Pods/f.md']
    await write(...paths)
    expect(await found()).toEqual({ files: paths.sort(), skipped: {} })
    expect((await found({ excludeFolders: ['vendor', 'node_modules'] })).files).toEqual(
      paths.filter((path) => !/vendor|node_modules/.test(path)),
    )
  })

  test.each([
    ...['requirements.txt', 'docs/requirements-dev.txt', 'robots.txt', 'src/CMakeLists.txt', 'docs/spelling_wordlist.txt'],
    ...['src/test/page.html', 'tests/pages/docs/a.htm'],
  ])('exclude text formats of programs and HTML of tests with a reason: %s', async (path) => {
    await write(path)
    const reason = expect.stringMatching(/^(a list for programs|test data)$/)
    expect(await found()).toEqual({ files: [], skipped: { [path]: reason } })
    expect(await found({ excludeFiles: [], excludeFolders: [] })).toEqual({ files: [], skipped: { [path]: reason } })
    expect(await found({ folders: [path] })).toEqual({ files: [path], skipped: {} })
  })

  test.each([
    ...['LICENSE.txt', 'COPYING.rst', 'AUTHORS.txt', 'version.txt', 'docs/constraints.txt', 'docs/system-requirements.txt'],
    ...['tests/golden.txt', 'tests/README.md', 'docs/tests/guide.html', 'llms.txt'],
  ])('include a path that matches no default pattern: %s', async (path) => {
    await write(path)
    expect(await found()).toEqual({ files: [path], skipped: {} })
  })

  test('are reported in one line per folder and reason if their names exclude them', async () => {
    await write(
      ...Array.from({ length: 5 }, (_, index) => `tests/pages/${index}.html`),
      'tests/pages/a.md',
      'tests/pages/robots.txt',
    )
    const { files, skipped } = await found()
    expect(files).toEqual(['tests/pages/a.md'])
    expect(Object.values(skipped).sort()).toEqual(['a list for programs', 'test data; likewise 4 more files of this folder'])
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

  test('are read from a test folder that `folders` names', async () => {
    await write('tests/pages/a.html', 'tests/robots.txt')
    expect((await found({ folders: ['tests/pages'] })).files).toEqual(['tests/pages/a.html'])
    expect((await found({ folders: ['tests'] })).files).toEqual(['tests/pages/a.html'])
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
