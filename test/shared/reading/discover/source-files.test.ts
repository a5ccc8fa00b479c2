import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Selection } from '../../../../shared/reading/discover/selection.ts'
import { sourceFiles } from '../../../../shared/reading/discover/source-files.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { writeTree } from '../../../fixtures/write-tree.ts'

const code = 'export const something = "long enough to tell anything"\n'
const internal = 'const something = "long enough, but nothing is offered"\n'

function tree(files: Record<string, string>): string {
  const root = tempDir()
  writeTree(root, files)
  return root
}
const found = (root: string, selection: Selection = {}, most = 100) => sourceFiles(root, selection, most)

test('entry points of the manifest come first, then names of entry files, then files with most exports', async () => {
  const root = tree({
    'package.json': JSON.stringify({ exports: { '.': { import: './dist/entry.js' }, './extra': './extra.mjs' } }),
    'src/entry.ts': code,
    'extra.mjs': code,
    'src/index.ts': code,
    'src/deep/inside/detail.ts': internal,
    'src/rich.ts': code.repeat(30),
    'examples/usage.ts': code,
  })
  expect(await found(root)).toEqual([
    'src/entry.ts',
    'extra.mjs',
    'src/index.ts',
    'src/rich.ts',
    'src/deep/inside/detail.ts',
    'examples/usage.ts',
  ])
  expect(await found(root, {}, 2)).toHaveLength(2)
})

test('vendored code, tests, builds, settings, and files that are too small or too large are not sources', async () => {
  const root = tree({
    'src/api.py': 'def serve():\n    """Long enough to tell anything."""\n',
    'src/empty.py': '',
    'src/huge.py': `x = 1\n${'# filler\n'.repeat(30_000)}`,
    'tests/api.py': code,
    'src/api_test.go': code,
    'src/test_api.py': code,
    'node_modules/a/index.js': code,
    'vendor/b/lib.go': code,
    'dist/api.js': code,
    '.github/tool.js': code,
    'vite.config.ts': code,
    'src/app.min.js': code,
    'README.md': code,
    'data.json': '{}',
  })
  expect(await found(root)).toEqual(['src/api.py'])
})

test('the selection of the library limits its sources', async () => {
  const root = tree({ 'src/a.ts': code, 'other/b.ts': code, 'src/old/c.ts': code, 'src/d.ts': code })
  expect(await found(root, { folders: ['src'], excludeFiles: ['d.ts'] })).toEqual(['src/a.ts'])
})

test('files outside of the repository are not read', async () => {
  const outside = tempDir()
  writeFileSync(join(outside, 'secret.ts'), code)
  const root = tree({ 'src/a.ts': code })
  symlinkSync(outside, join(root, 'linked'))
  symlinkSync(join(outside, 'secret.ts'), join(root, 'src/secret.ts'))
  expect(await found(root)).toEqual(['src/a.ts'])
})

test('an invalid manifest causes no failure', async () => {
  for (const manifest of ['{', '[]', 'null', '{"main": 5, "exports": [1, {"a": null}]}']) {
    expect(await found(tree({ 'package.json': manifest, 'src/a.ts': code }))).toEqual(['src/a.ts'])
  }
})
