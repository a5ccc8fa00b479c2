import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { referenceFiles } from '../reference/reference-files.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')

test('docs/ has the API and the configuration of the code', async () => {
  const current = await referenceFiles()
  const outdated = Object.keys(current).filter((path) => read(path) !== current[path])
  expect(outdated, 'run npm run reference and commit the files').toEqual([])
})
