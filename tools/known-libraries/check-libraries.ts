/**
 * Checks the repositories and folders of `shared/packages/data/known-libraries.json`, which needs the internet, and writes the day of the check to the
 * entries that exist: `npm run data:libraries [-- TITLE…]`. Others keep their day and are reported.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import pLimit from 'p-limit'
import type { KnownLibrary } from '../../shared/packages/known-libraries.ts'
import { checkRepository } from './check-repository.ts'

const list = new URL('../../shared/packages/data/known-libraries.json', import.meta.url)
const titles = new Set(process.argv.slice(2))
const today = new Date().toISOString().slice(0, 10)
const libraries: KnownLibrary[] = JSON.parse(readFileSync(list, 'utf8'))
const chosen = libraries.filter(({ title }) => titles.size === 0 || titles.has(title))

await pLimit(4).map(chosen, async (library) => {
  const problem = await checkRepository(`https://github.com/${library.repository}.git`, library.folders)
  if (problem === undefined) library.checked = today
  else {
    process.stderr.write(`${library.title} (${library.repository}): ${problem}\n`)
    process.exitCode = 1
  }
})
writeFileSync(list, `[\n${libraries.map((library) => `  ${JSON.stringify(library)}`).join(',\n')}\n]\n`)
