import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openapiFiles } from '../openapi/openapi-files.ts'

const root = new URL('../..', import.meta.url).pathname
const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')

test('docs/ has the OpenAPI documents that the two halves serve', async () => {
  const served = await openapiFiles()
  const outdated = Object.keys(served).filter((path) => read(path) !== served[path])
  expect(outdated, 'run npm run openapi and commit the files').toEqual([])
})
