import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { checkRepository } from '../../../tools/known-libraries/check-repository.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

function repository(): string {
  const folder = tempDir()
  mkdirSync(join(folder, 'docs/en'), { recursive: true })
  writeFileSync(join(folder, 'docs/en/index.md'), '# Index\n')
  writeFileSync(join(folder, 'file'), '')
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words])
  git('init', '--quiet')
  git('config', 'uploadpack.allowFilter', 'true')
  git('add', '.')
  git('commit', '--quiet', '-m', 'x')
  return pathToFileURL(folder).href
}

test('a repository with its folders has no problem', async () => {
  const url = repository()
  expect(await checkRepository(url, [])).toBeUndefined()
  expect(await checkRepository(url, ['docs', 'docs/en'])).toBeUndefined()
})

test.each(['documentation', 'docs/de', 'file', 'docs/en/index.md'])('the missing folder %s is a problem', async (folder) => {
  expect(await checkRepository(repository(), ['docs', folder])).toBe(`It has no folder ${folder}.`)
})

test('a missing repository is a problem', async () => {
  expect(await checkRepository(pathToFileURL(join(tempDir(), 'none')).href, [])).toMatch(/^git failed: /)
})
