import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RepoFiles } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const README = page('Anvil', 'The anvil weighs a ton.')
const target = {
  'README.md': README,
  'packages/core/docs/use.md': page('Use', 'Hit it with a hammer.'),
  'packages/core/docs/api/call.md': page('Call', 'Call it by its name.'),
  'packages/core/src/notes.md': page('Notes', 'Internal notes.'),
}
const preview = (name: string, more: Record<string, unknown>) =>
  install.call('POST', '/api/parse/preview', { repoUrl: `${install.git.url}/${name}`, ...more })

type Read = { files: number; skipped: { path: string; reason: string }[] }
let repositories = 0
async function create(files: RepoFiles): Promise<string> {
  const name = `linked/r${++repositories}`
  await install.git.create(name, { files })
  return name
}
/** The documents that a preview of a new repository finds. */
async function find(files: RepoFiles, more: Record<string, unknown> = {}): Promise<Read> {
  const { status, body } = await preview(await create(files), more)
  expect([status, body]).toEqual([200, expect.anything()])
  return body as Read
}
const isAtOwnPath = (folder: string) => `a link to a folder: ${folder}/ is read at its own path`

describe('a link to a folder in the setting folders', () => {
  const docs = { ...target, docs: { link: 'packages/core/docs' } }
  test.each([
    ['itself', docs, ['docs'], 3],
    ['with a slash', docs, ['./docs/'], 3],
    ['a folder below it', docs, ['docs/api'], 2],
    ['a file below it', docs, ['docs/use.md'], 2],
    ['a pattern below it', docs, ['docs/**/call.md'], 2],
    ['a link to a link', { ...target, docs: { link: 'more' }, more: { link: 'packages/core/docs' } }, ['docs'], 3],
    [
      'a link below a link',
      { ...target, docs: { link: 'packages' }, 'packages/manual': { link: 'core/docs' } },
      ['docs/manual'],
      3,
    ],
    ['a link that a pattern matches', { ...target, 'packages/web/docs': { link: '../core/docs' } }, ['packages/web/*'], 3],
    ['a link inside it', { ...target, 'docs/a.md': README, 'docs/core': { link: '../packages/core/docs' } }, ['docs'], 4],
    ['links that lead to each other', { ...target, 'a/b': { link: '../packages' }, 'packages/a': { link: '../a' } }, ['a'], 4],
    ['a link in another spelling', { ...target, docs: { link: 'Packages/Core/DOCS' } }, ['docs'], 3],
    ['a link that Windows wrote as text', { ...target, docs: 'packages/core/docs' }, ['docs'], 3],
    ['a link with the slashes of Windows', { ...target, docs: { link: 'packages\\core\\docs' } }, ['docs'], 3],
    ['a link to a file', { ...target, 'guide.adoc': { link: 'packages/core/docs/use.md' } }, ['guide.adoc'], 2],
  ] as [string, RepoFiles, string[], number][])('is read as the folder: %s', async (_, files, folders, count) => {
    const { files: found, skipped } = await find(files, { folders })
    expect(found).toBe(count)
    expect(skipped.filter(({ reason }) => !/ is read at its own path$/.test(reason))).toEqual([])
  })

  test('is read as the folder in an address, and the settings keep its name', async () => {
    await install.git.create('linked/address', { files: { ...target, docs: { link: 'packages/core/docs' } } })
    const job = await install.parse('linked/address/tree/main/docs')
    expect([job.error, job.report?.filesRead]).toEqual([null, 3])
    expect((await install.json('/api/projects/linked/address/source')).body).toMatchObject({ folders: ['docs'] })
    await install.git.commit('linked/address', { files: { 'packages/core/docs/more.md': page('More', 'More of it.') } })
    expect((await install.refresh('linked/address')).report).toMatchObject({ filesRead: 1, filesKept: 3 })
  })

  test('is read as the folder if the project file names it, in each version', async () => {
    const projectFile = { 'carrel.json': JSON.stringify({ folders: ['docs'] }) }
    await install.git.create('linked/project', {
      files: { ...target, ...projectFile, docs: { link: 'packages/core/docs' } },
      tags: ['v1'],
    })
    await install.git.commit('linked/project', { files: { 'packages/core/docs/more.md': page('More', 'More of it.') } })
    const { report } = await install.parse('linked/project', { versions: ['v1'] })
    expect(report?.versions?.map(({ version, filesRead, filesKept = 0 }) => [version, filesRead + filesKept])).toEqual([
      ['', 4],
      ['v1', 3],
    ])
  })

  test('is read without a folder below it that is excluded under either of its paths', async () => {
    const files = { ...target, docs: { link: 'packages/core/docs' } }
    for (const excludeFolders of [['docs/api'], ['packages/core/docs/api']]) {
      const { files: found, skipped } = await find(files, { folders: ['docs'], excludeFolders })
      expect(found).toBe(2)
      expect(skipped).toContainEqual({ path: 'packages/core/docs/api/', reason: `excludeFolders: ${excludeFolders[0]}` })
    }
  })
})

test('a file below a link to a folder can be excluded under both of its paths', async () => {
  const files = { ...target, docs: { link: 'packages/core/docs' } }
  for (const excludeFiles of [['docs/api/*'], ['packages/core/docs/api/call.md']]) {
    const { files: found, skipped } = await find(files, { folders: ['docs'], excludeFiles })
    expect(found).toBe(2)
    expect(skipped).toContainEqual({ path: 'packages/core/docs/api/call.md', reason: `excludeFiles: ${excludeFiles[0]}` })
  }
})

describe('the report on a link to a folder', () => {
  test.each([
    ['a folder that is read', { ...target, docs: { link: 'packages' } }, {}, 'docs', isAtOwnPath('packages'), 4],
    [
      'the folder that holds it',
      { ...target, 'docs/a.md': README, 'docs/all': { link: '..' } },
      { folders: ['docs'] },
      'docs/all',
      'a link to a folder that contains it',
      2,
    ],
    ['itself', { ...target, docs: { link: 'docs' } }, {}, 'docs', 'a link that is broken or leads out of the repository', 4],
    [
      'out of the repository',
      { ...target, docs: { link: '../../..' } },
      {},
      'docs',
      'a link that is broken or leads out of the repository',
      4,
    ],
    [
      'an absolute path',
      { ...target, docs: { link: '/etc' } },
      {},
      'docs',
      'a link that is broken or leads out of the repository',
      4,
    ],
    [
      'an excluded folder',
      { ...target, docs: { link: 'packages' } },
      { excludeFolders: ['packages'] },
      'docs',
      'a link to a folder: packages/ is not read (packages/: excludeFolders: packages)',
      1,
    ],
    [
      'an older version',
      { ...target, 'v1/a.md': README, 'v2/a.md': page('B', 'Beta.'), now: { link: 'v1' } },
      {},
      'now',
      'a link to a folder: v1/ is not read (v1/: an older version of v2/)',
      5,
    ],
    [
      'a folder, and is excluded',
      { ...target, old: { link: 'packages/core/docs' } },
      { folders: ['*'], excludeFolders: ['old'] },
      'old',
      'excludeFolders: old',
      4,
    ],
  ] as [string, RepoFiles, Record<string, unknown>, string, string, number][])(
    'has the true reason: %s',
    async (_, files, more, path, reason, count) => {
      const { files: found, skipped } = await find(files, more)
      expect(skipped).toContainEqual({ path, reason })
      expect(found).toBe(count)
    },
  )
})

describe('a folder in the request', () => {
  test.each([
    ['has no documents', ['src'], {}, { path: 'folders: src', reason: 'it holds no documents that are read' }],
    ['is excluded by default', ['archive'], {}, { path: 'archive/', reason: 'excludeFolders: *archive*' }],
    ['is in an excluded folder', ['archive/deep'], {}, { path: 'archive/', reason: 'excludeFolders: *archive*' }],
    [
      'is a link to the folder that holds it',
      ['src/all'],
      {},
      { path: 'folders: src/all', reason: 'it holds no documents that are read' },
    ],
  ])('is reported if it %s', async (_, folders, more, line) => {
    const files = {
      'README.md': README,
      'src/main.c': 'int main() {}',
      'archive/deep/old.md': page('Old', 'Made of wood.'),
      'src/all': { link: '..' },
    }
    const { files: found, skipped } = await find(files, { folders, ...more })
    expect([found, skipped]).toEqual([1, expect.arrayContaining([line])])
    expect(new Set(skipped.map(({ path }) => path)).size).toBe(skipped.length)
  })

  test('fails the parse with the nearest link or submodule if it does not exist', async () => {
    const files = {
      ...target,
      docs: { link: 'packages/core/docs' },
      ...submodule('manual', '../manual.git'),
    }
    await install.git.create('linked/nearest', { files })
    for (const [wrong, right] of [
      ['dosc', 'docs'],
      ['docs/aip', 'packages/core/docs/api'],
      ['manaul', 'manual'],
    ])
      expect((await install.parse('linked/nearest', { folders: [wrong] })).error).toContain(
        `no folder "${wrong}". Did you mean ${right}`,
      )
  })
})

const brokenLink = 'a link that is broken or leads out of the repository'
test.each([
  ['is broken', 'packages/nope'],
  ['leads out of the repository', '../../etc'],
  ['leads to itself', 'docs'],
])('a link in folders that %s fails a preview and a parse', async (_, link) => {
  const name = await create({ ...target, docs: { link } })
  const words = `The folder "docs" cannot be read: it is ${brokenLink}.`
  expect(await preview(name, { folders: ['docs'] })).toMatchObject({
    status: 404,
    body: { fields: [{ path: 'folders.0', message: words }] },
  })
  expect((await install.parse(name, { folders: ['docs'] })).error).toContain(words)
  const { body } = await preview(name, { folders: ['d*', 'packages'], excludeFolders: ['docs'] })
  expect(body).toMatchObject({ fields: [{ path: 'folders.0' }] })
  const projectFile = { 'carrel.json': JSON.stringify({ folders: ['docs'] }) }
  const { files, skipped } = await find({ ...target, ...projectFile, docs: { link } })
  expect(files).toBe(1)
  expect(skipped).toEqual(
    expect.arrayContaining([
      { path: 'docs', reason: brokenLink },
      { path: 'folders: docs', reason: words },
    ]),
  )
  expect(skipped).toHaveLength(2)
})

const submodule = (path: string, url: string): RepoFiles => ({
  [path]: { submodule: 'a'.repeat(40) },
  '.gitmodules': `[submodule "x"]\n\tpath = ${path}\n\turl = "${url}" # its address\n\tbranch = main\n`,
})
const added = (url: string) => `it is a submodule, which is not fetched; add its repository ${url}`

describe('a submodule', () => {
  test('is listed with its address, without the user and password in it', async () => {
    const urls = {
      a: ['https://github.com/acme/docs.git', 'https://github.com/acme/docs'],
      b: ['https://user:secret@git.example.com/acme/docs', 'https://git.example.com/acme/docs'],
      c: ['git@github.com:acme/docs.git', 'https://github.com/acme/docs'],
      d: ['ssh://git@github.com:22/acme/docs.git/', 'https://github.com/acme/docs'],
      e: ['../docs.git', `${install.git.url}/linked/docs`],
    }
    const folders = Object.keys(urls).map((path) => [`lib/${path}`, { submodule: 'a'.repeat(40) }] as const)
    const modules = Object.entries(urls).map(
      ([path, [url]]) => `[submodule "${path}"]\n\tpath = lib/${path}\n\turl = "${url}" # x\n`,
    )
    const { skipped } = await find({ 'README.md': README, ...Object.fromEntries(folders), '.gitmodules': modules.join('') })
    expect(skipped).toEqual(Object.entries(urls).map(([path, [, url = '']]) => ({ path: `lib/${path}`, reason: added(url) })))
  })

  test.each([
    ['no .gitmodules', { 'README.md': README, docs: { submodule: 'a'.repeat(40) } }],
    ['a .gitmodules that git cannot read', { 'README.md': README, ...submodule('docs', 'x'), '.gitmodules': '[submodule' }],
    ['a .gitmodules that is a link', { 'README.md': README, ...submodule('docs', 'x'), '.gitmodules': { link: '/etc/passwd' } }],
    ['an address of this machine', { 'README.md': README, ...submodule('docs', 'file:///srv/docs.git') }],
  ] as [string, RepoFiles][])('is listed without an address if there is %s', async (_, files) => {
    const { skipped } = await find(files)
    expect(skipped).toEqual([{ path: 'docs', reason: 'it is a submodule without an address, which is not fetched' }])
  })

  test('is named by the error if it is the only content', async () => {
    await install.git.create('linked/only', { files: submodule('docs', 'https://github.com/acme/docs') })
    const job = await install.parse('linked/only')
    expect(job.error).toContain(`the first ("docs") because ${added('https://github.com/acme/docs')}.`)
    expect(await preview('linked/only', {})).toMatchObject({ body: { files: 0, skipped: [{ path: 'docs' }] } })
  })

  test('fails the parse with its address if folders names it or a folder in it', async () => {
    await install.git.create('linked/named', {
      files: { 'README.md': README, ...submodule('docs', 'https://github.com/acme/docs') },
    })
    for (const folder of ['docs', 'docs/api', '*/api']) {
      const words = `The folder "${folder}" cannot be read: docs is a submodule, which is not fetched; add its repository https://github.com/acme/docs.`
      expect((await install.parse('linked/named', { folders: [folder] })).error).toContain(words)
      expect(await preview('linked/named', { folders: [folder] })).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining(words) },
      })
    }
  })

  test.each([
    ['it', { link: 'manual' }],
    ['a folder in it', { link: 'manual/docs' }],
    ['it, which Windows wrote as text', 'manual/docs'],
  ] as [string, RepoFiles[string]][])('is named if a link leads to %s', async (_, link) => {
    const files = { 'README.md': README, docs: link, ...submodule('manual', 'https://github.com/acme/manual') }
    const reason = 'it leads to a submodule, which is not fetched; add its repository https://github.com/acme/manual'
    const name = await create(files)
    expect(await preview(name, {})).toMatchObject({
      body: {
        skipped: [
          { path: 'docs', reason },
          { path: 'manual', reason: added('https://github.com/acme/manual') },
        ],
      },
    })
    for (const folder of ['docs', 'docs/api'])
      expect((await install.parse(name, { folders: [folder] })).error).toContain(
        `The folder "${folder}" cannot be read: docs ${reason.slice('it '.length)}.`,
      )
  })

  test('is not listed if it is outside of folders or in an excluded folder', async () => {
    const files = { ...target, ...submodule('vendor/lib', '../lib.git') }
    expect((await find(files, { folders: ['packages'] })).skipped).toEqual([])
    for (const folder of ['vendor', 'lib'])
      expect((await find(files, { excludeFolders: [folder] })).skipped.map(({ path }) => path)).not.toContain('vendor/lib')
    expect((await find(files, { excludeFolders: ['vendor/lib'] })).skipped).toEqual([])
  })
})
