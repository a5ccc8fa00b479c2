import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapiFiles } from './openapi-files.ts'

const root = new URL('../..', import.meta.url).pathname

for (const [path, document] of Object.entries(await openapiFiles())) {
  writeFileSync(join(root, path), document)
  console.log(`${path} is written.`)
}
