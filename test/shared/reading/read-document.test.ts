import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultGitHosts } from '../../../shared/reading/git/git-hosts.ts'
import { parseRepoUrl } from '../../../shared/reading/git/repo-address.ts'
import { readDocument } from '../../../shared/reading/read-document.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

async function read(path: string, text: string) {
  const root = tempDir()
  writeFileSync(join(root, path), text)
  const address = parseRepoUrl('https://github.com/acme/docs', defaultGitHosts)
  return readDocument({ root, path, address, commit: 'c0ffee', fileBytes: 1_000_000 })
}

describe('a file without snippets', () => {
  test.each([
    ['empty.md', '', 'it is empty'],
    ['blank.html', ' \n\n', 'it is empty'],
    ['headings.md', '# Guide\n\n## Setup\n', 'it holds no text besides headings'],
    ['title.md', '---\ntitle: Guide\n---\n', 'it holds no text besides headings'],
    ['comment.md', '<!-- to be written -->\n', 'it holds no text'],
    ['menu.html', '<body><nav><a href="/">Home</a></nav></body>', 'it holds no text'],
    ['empty.ipynb', '{"cells": []}', 'it holds no text'],
  ])('is skipped with a reason: %s', async (path, text, skipped) => {
    expect(await read(path, text)).toEqual({ skipped })
  })
})

test('code whose names are in a file that is too large is skipped with that reason', async () => {
  const root = tempDir()
  writeFileSync(join(root, 'package.json'), '{ "name": "kit" }')
  writeFileSync(join(root, 'index.ts'), "export * from './tents'\n")
  writeFileSync(join(root, 'tents.ts'), `/** A tent. */\nexport const tent = 1\n// ${'x'.repeat(1024 * 1024)}\n`)
  const address = parseRepoUrl('https://github.com/acme/kit', defaultGitHosts)
  const result = await readDocument({ root, path: 'index.ts', address, commit: 'c0ffee', fileBytes: 10_000_000 })
  expect(result).toMatchObject({ skipped: 'these files of it are not read: tents.ts' })
})

test('a file with one word of text is read', async () => {
  expect(await read('short.md', '# Guide\n\nSoon.\n')).toMatchObject({ page: { chunks: [{ content: 'Soon.' }] } })
})

test('a page with too many sections keeps the first, and the report has the limit', async () => {
  const text = Array.from({ length: 20_001 }, (_, n) => `# ${n}\n\nText ${n}.\n`).join('\n')
  const result = await read('many.md', text)
  expect('page' in result && result.page.chunks.at(-1)?.content).toBe('Text 19999.')
  expect(result).toMatchObject({ omitted: 'it has 20001 sections; only the first 20000 are kept' })
})
