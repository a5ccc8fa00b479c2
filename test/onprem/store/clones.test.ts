import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clonesIn } from '../../../onprem/store/clones.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('a clone that is discarded is out of the way at once, and its files are deleted behind', async () => {
  const folder = tempDir()
  const clones = clonesIn(folder, silent)
  const clone = await clones.make(7)
  await mkdir(join(clone, 'tree'))
  await Promise.all(Array.from({ length: 2000 }, (_, n) => writeFile(join(clone, 'tree', `${n}.md`), '')))
  await clones.discard(clone)
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^gone-/)])
  await clones.settled()
  expect(await readdir(folder)).toEqual([])
})
