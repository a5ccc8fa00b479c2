import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RepoFiles } from '../../fixtures/git-repository.ts'
import { page } from '../../fixtures/page.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const documents = { 'README.md': page('Anvil', 'The anvil weighs a ton.'), 'packages/core/docs/use.md': page('Use', 'Hit it.') }
let repositories = 0
async function read(files: RepoFiles) {
  const name = `text/links${++repositories}`
  await install.git.create(name, { files })
  const { error, report } = await install.parse(name)
  expect(error).toBeNull()
  return { files: report?.filesRead, skipped: report?.skipped }
}

describe('a link that Windows committed as a text file', () => {
  const isLink = (to: string) => `it is a link that was committed as a text file; it leads to ${to}`
  test.each([
    ['GUIDE.md', 'packages/core/docs/use.md', 'packages/core/docs/use.md'],
    ['packages/core/GUIDE.md', 'docs/use.md\n', 'packages/core/docs/use.md'],
    ['packages/core/docs/README.md', '../../../README.md\r\n', 'README.md'],
    ['NOTES.md', 'README.md', 'README.md'],
  ])('is skipped at %s and its target is named', async (path, text, to) => {
    const { files, skipped } = await read({ ...documents, [path]: text })
    expect([files, skipped]).toEqual([2, [{ path, reason: isLink(to) }]])
  })

  test.each([
    ['that does not exist', 'docs/use.md'],
    ['out of the repository', '../../README.md'],
    ['and more', 'README.md\n\nmore'],
    ['of itself', 'GUIDE.md'],
    ['to a folder', 'packages/core'],
  ])('is read as documentation if it names a path %s', async (_, text) => {
    expect(await read({ ...documents, 'GUIDE.md': text })).toMatchObject({ files: 3, skipped: [] })
  })

  test('is read again when its target appears, and skipped again when it is kept', async () => {
    await install.git.create('text/appears', { files: { ...documents, 'GUIDE.md': 'docs/use.md' } })
    expect((await install.parse('text/appears')).report?.filesRead).toBe(3)
    await install.git.commit('text/appears', { files: { 'docs/use.md': page('Used', 'Use it.') } })
    const lines = ({ report }: LoggedJob) => report?.skipped.map(({ path }) => path)
    expect(lines(await install.refresh('text/appears'))).toEqual(['GUIDE.md'])
    await install.git.commit('text/appears', { files: { 'docs/more.md': page('More', 'Use it more.') } })
    expect(lines(await install.refresh('text/appears'))).toEqual(['GUIDE.md'])
  })
})
