import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.ts'

/** Fails unless the tag is `v` and the version of package.json, which the changelog describes: `node check-tag.ts TAG`. */
const [tag = ''] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const problem = [
  [tag !== `v${version}`, `The tag ${tag} is not that of package.json, v${version}.`],
  [!changelog.includes(`\n## [${version}]`), `CHANGELOG.md does not describe ${version}.`],
].find(([isWrong]) => isWrong)
if (problem) {
  process.stderr.write(`carrel: ${problem[1]}\n`)
  process.exit(1)
}
