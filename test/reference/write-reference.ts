import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceFiles } from './reference-files.ts'

const root = new URL('../..', import.meta.url).pathname

for (const [path, text] of Object.entries(await referenceFiles())) {
  writeFileSync(join(root, path), text)
  console.log(`${path} is written.`)
}
