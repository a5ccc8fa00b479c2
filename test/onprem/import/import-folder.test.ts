import { mkdirSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importFolder } from '../../../onprem/import/import-folder.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('data that is passed to a job during a cleanup is not deleted', async () => {
  const folder = tempDir()
  let whenAsked: () => void = () => undefined
  const owned = () => {
    queueMicrotask(whenAsked)
    return new Set<string>()
  }
  const imports = importFolder(folder, owned, silent)
  const claimed = Array.from({ length: 40 }, () => imports.claim())
  for (const name of claimed) mkdirSync(imports.pathOf(name))
  const [ended, coming] = [claimed.slice(0, 20), claimed.slice(20)]
  for (const name of ended) imports.handOver(name)
  whenAsked = () => coming.forEach(imports.handOver)
  await imports.sweep()
  expect(readdirSync(folder).sort()).toEqual(coming.sort())
})
