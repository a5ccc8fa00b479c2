import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeTree } from '../../../../shared/reading/git/remove-tree.ts'

test('a folder is deleted with its content, and the targets of its links stay', async () => {
  const root = await mkdtemp(join(tmpdir(), '-carrel remove\n'))
  const kept = await mkdtemp(join(tmpdir(), 'carrel-kept-'))
  await mkdir(join(root, 'a', 'b'), { recursive: true })
  await writeFile(join(root, 'a', 'b', 'c.md'), 'c')
  await symlink(kept, join(root, 'link'))
  await removeTree(root)
  expect([existsSync(root), existsSync(kept)]).toEqual([false, true])
  await removeTree(kept)
})

test('a missing folder causes no error', async () => {
  await expect(removeTree(join(tmpdir(), 'carrel-never-made'))).resolves.toBeUndefined()
})

test('the server keeps responding while a folder is deleted', async () => {
  const root = await mkdtemp(join(tmpdir(), 'carrel-remove-'))
  for (let n = 0; n < 3_000; n += 1) await writeFile(join(root, `${n}.md`), '')
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 1)
  await removeTree(root)
  clearInterval(counting)
  expect(turns).toBeGreaterThan(3)
})
