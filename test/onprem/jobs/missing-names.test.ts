import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const files = {
  'README.md': page('Anvil', 'The anvil weighs a ton.'),
  'docs/use.md': page('Use', 'Hit it with a hammer.', 'Hold it with tongs.'),
  'packages/core/manual/care.md': page('Care', 'Oil it in winter.'),
}
const repository = (repo: string) => install.git.create(repo, { files, tags: ['v1.0.0', 'v1.1.0'] })
const idOf = (name: string) => {
  const [owner = '', repo = ''] = name.split('/')
  return { owner, repo }
}
const library = (name: string) => install.app.catalog.find(idOf(name))
const sourceOf = async (name: string) => (await install.json(`/api/projects/${name}/source`)).body as Record<string, unknown>
const change = (name: string, body: unknown) => install.call('PATCH', `/api/projects/${name}/source`, body)
const previewOf = (name: string, more: Record<string, unknown>) =>
  install.call('POST', '/api/parse/preview', { repoUrl: `${install.git.url}/${name}`, ...more })

describe('a first parse', () => {
  test.each([
    ['a version', { versions: ['v1.0.0', 'v1.2.0'] }, 'no branch or tag "v1.2.0". Did you mean v1.0.0 or v1.1.0?'],
    ['several versions', { versions: ['v9', 'nightly'] }, 'no branch or tag "v9" or "nightly".'],
    ['a branch', { branch: 'mian' }, 'no branch or tag "mian". Did you mean main?'],
    ['a folder', { folders: ['docs', 'doc'] }, 'no folder "doc". Did you mean docs?'],
    ['a folder elsewhere', { folders: ['manual'] }, 'no folder "manual". Did you mean packages/core/manual?'],
    ['a pattern of folders', { folders: ['packages/*/text'] }, 'no folder "packages/*/text". It has docs, packages.'],
    ['a folder above the repository', { folders: ['../docs'] }, 'no folder "../docs". Did you mean docs'],
  ])(
    'fails for %s that does not exist with the nearest names, stores nothing, and its preview reports the same',
    async (what, more, words) => {
      const name = `first/${what.replaceAll(' ', '-')}`
      await repository(name)
      const tables = await install.tables()
      const job = await install.parse(name, more)
      expect(job.error).toMatch(/^tag_not_found: /)
      expect(job.error).toContain(words)
      expect(library(name)).toBeUndefined()
      expect(await install.tables()).toEqual(tables)
      const preview = await previewOf(name, more)
      expect(preview).toMatchObject({ status: 404, body: { error: 'tag_not_found', message: job.error?.replace(/^\w+: /, '') } })
    },
  )

  test('reads folders that a pattern or a path with slashes names', async () => {
    await repository('first/good')
    expect((await install.parse('first/good', { folders: ['/docs/', 'packages/*/manual', '.', 'README.md'] })).state).toBe('done')
  })

  test('finds a tag without its v, or with one, and gives the version the name of the tag', async () => {
    await install.git.create('first/spelling', { files, tags: ['v1.1.0', '2.0'] })
    await install.git.commit('first/spelling', {
      files: { 'README.md': page('New', 'It weighs two tons.') },
      branch: 'release/2.0',
    })
    const job = await install.parse('first/spelling', { versions: ['1.1.0', 'v1.1.0', 'v2.0', 'release~2.0', 'release/2.0'] })
    expect([job.state, job.report?.skipped]).toEqual(['done', []])
    expect(library('first/spelling')?.versions).toEqual(['2.0', 'release~2.0', 'v1.1.0'])
    expect((await install.parse('first/spelling', { branch: '1.1.0' })).state).toBe('done')
    expect(await sourceOf('first/spelling')).toMatchObject({ branch: 'v1.1.0' })
  })

  test('reports missing names of the project file and excluded folders without failing', async () => {
    const carrel = { folders: ['docs', 'old'], previousVersions: [{ tag: '1.1.0' }, { tag: 'v9' }] }
    const all = { ...files, 'carrel.json': JSON.stringify(carrel) }
    await install.git.create('first/named', { files: all, tags: ['v1.1.0'] })
    const job = await install.parse('first/named', { excludeFolders: ['interal'] })
    expect(job.state).toBe('done')
    expect(job.report?.skipped.map(({ path }) => path)).toEqual(['@v9', 'excludeFolders: interal', 'folders: old'])
    expect(library('first/named')?.versions).toEqual(['v1.1.0'])
    // Source settings that were saved in a form hold the names of the project file.
    await change('first/named', { versions: ['v1.1.0', 'v9'], folders: ['docs'] })
    expect((await install.refresh('first/named')).state).toBe('done')
  })
})

describe('a refresh', () => {
  test.each([
    ['a version', { versions: ['v1.0.0', 'v1.1.0', 'v99'] }, { versions: ['v1.0.0', 'v1.1.0'], branch: null, folders: null }],
    ['a branch', { branch: 'mian', excludeFiles: ['x.md'] }, { branch: null, excludeFiles: ['x.md'] }],
    ['a folder', { folders: ['docs', 'doc'], branch: 'v1.1.0' }, { folders: null, branch: 'v1.1.0' }],
  ])('fails once after a change to %s that does not exist, and the missing name is not stored', async (what, body, after) => {
    const name = `change/${what.replaceAll(' ', '-')}`
    await repository(name)
    await install.parse(name, { versions: ['v1.0.0'] })
    const before = library(name)
    expect((await change(name, body)).status).toBe(200)
    const failed = await install.refresh(name)
    expect(failed.error).toMatch(/^tag_not_found: The repository has no /)
    expect(failed.log.map(({ line }) => line).join()).toContain('removed from the source settings')
    expect(library(name)).toEqual(before)
    expect(await sourceOf(name)).toMatchObject(after)
    expect((await install.refresh(name)).state).toBe('done')
    expect(await sourceOf(name)).toMatchObject(after)
  })

  test('removes a version that does not exist from the settings, and a parse request changes no settings', async () => {
    await repository('change/old')
    await install.parse('change/old')
    const { catalog } = install.app
    catalog.storeSettings(idOf('change/old'), { ...catalog.settings(idOf('change/old')), versions: ['v99'] })
    expect((await install.refresh('change/old')).error).toContain('no branch or tag "v99"')
    expect(await sourceOf('change/old')).toMatchObject({ versions: [] })
    const settings = catalog.settings(idOf('change/old'))
    for (const more of [{ versions: ['v99'] }, { branch: 'v99' }, { folders: ['doc'] }])
      expect((await install.parse('change/old', more)).state).toBe('failed')
    expect(catalog.settings(idOf('change/old'))).toEqual(settings)
  })

  test('continues without a version or folder that its repository has lost, and reports it', async () => {
    await repository('change/lost')
    await install.parse('change/lost', { versions: ['v1.0.0'], folders: ['docs', 'packages'] })
    await git(install.git.folder('change/lost'), ['update-ref', '-d', 'refs/tags/v1.0.0'])
    await install.git.commit('change/lost', { files: { 'packages/core/manual/care.md': null } })
    const job = await install.refresh('change/lost')
    expect([job.state, job.report?.skipped.map(({ path }) => path)]).toEqual(['done', ['@v1.0.0', 'folders: packages']])
    expect(library('change/lost')?.versions).toEqual(['v1.0.0'])
  })
})

test('the command line fails for a version that does not exist', async () => {
  await repository('line/wrong')
  const words = ['add', `${install.git.url}/line/wrong`, '--version', 'v99', '--wait']
  const { code, err } = await runCarrel(words, { dataDir: install.dataDir })
  expect(code).toBe(1)
  expect(err).toContain('no branch or tag "v99"')
})
