import { afterAll, beforeAll, expect, test } from 'vitest'
import { git } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const files = { 'README.md': page('Anvil', 'The anvil weighs a ton.') }
const versionsOf = (repo: string) => install.app.catalog.find({ owner: 'acme', repo })?.versions

test.each([
  ['1.2.0', 'v1.2.0'],
  ['v1.2.0', '1.2.0'],
  ['1.2.0', 'core@1.2.0'],
  ['1.2.0', 'core/v1.2.0'],
  ['1.2.0', 'release-1.2.0'],
  ['1.2', 'go1.2'],
])('the optional version %s is indexed from the tag %s', async (version, tag) => {
  const repo = `has-${version}-${tag.replaceAll(/\W/g, '-')}`
  await install.git.create(`acme/${repo}`, { files, tags: ['v9.0.0', tag] })
  const job = await install.parse(`acme/${repo}`, { optionalVersions: [version] })
  expect([job.state, job.report?.skipped]).toEqual(['done', []])
  expect(versionsOf(repo)).toEqual([tag.replaceAll('/', '~')])
})

test('an optional version without a tag is reported, and neither fails the job nor is stored', async () => {
  await install.git.create('acme/lacks', { files, tags: ['v1.2.0', 'v11.2.0', 'v1.2.0-rc1'] })
  const job = await install.parse('acme/lacks', { optionalVersions: ['2.0', '1.2.0', '1'], versions: ['v1.2.0'] })
  expect(job.state).toBe('done')
  expect(job.report?.skipped).toEqual([
    { path: '@1', reason: 'The repository has no tag of version 1.' },
    { path: '@2.0', reason: 'The repository has no tag of version 2.0.' },
  ])
  expect(versionsOf('lacks')).toEqual(['v1.2.0'])
  expect((await install.refresh('acme/lacks')).report?.skipped).toEqual([])
})

test('tags of several packages mean an optional version only if they are the same commit', async () => {
  await install.git.create('acme/packages', { files, tags: ['a@1.0.0', 'b@1.0.0', 'a@2.0.0'] })
  await install.git.commit('acme/packages', { files: { 'README.md': page('New', 'It weighs two tons.') } })
  await git(install.git.folder('acme/packages'), ['tag', 'b@2.0.0', 'main'])
  const job = await install.parse('acme/packages', { optionalVersions: ['1.0.0', '2.0.0'] })
  expect(job.report?.skipped.map(({ path }) => path)).toEqual(['@2.0.0'])
  expect(versionsOf('packages')).toEqual(['a@1.0.0'])
})

test('a preview lists the optional versions that a parse indexes, and those without a tag', async () => {
  await install.git.create('acme/shown', { files, tags: ['core@1.2.0'] })
  const body = { repoUrl: `${install.git.url}/acme/shown`, optionalVersions: ['1.2.0', '3.0.0'] }
  expect((await install.call('POST', '/api/parse/preview', body)).body).toMatchObject({
    versions: ['core@1.2.0'],
    skipped: [{ path: '@3.0.0', reason: 'The repository has no tag of version 3.0.0.' }],
  })
})
