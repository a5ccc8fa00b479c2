import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allowedExpressions } from './allowed-expressions.ts'
import { findExpressions } from './find-expressions.ts'
import { judgeExpressions, type Verdicts } from './judge-expressions.ts'

const root = new URL('../..', import.meta.url).pathname
const { dependencies } = JSON.parse(readFileSync(join(root, 'tools/recheck/package.json'), 'utf8'))
const version: string = dependencies.recheck
const cacheFile = join(root, 'node_modules/.cache/expressions.json')

const files = globSync('{shared,onprem,functions}/**/*.ts', { cwd: root }).sort()
const found = files.flatMap((file) => findExpressions(file, readFileSync(join(root, file), 'utf8')))
const verdicts = readVerdicts()
const problems = await judgeExpressions(found, allowedExpressions, verdicts)
mkdirSync(dirname(cacheFile), { recursive: true })
writeFileSync(cacheFile, JSON.stringify({ version, verdicts: [...verdicts].map(([key, wrong]) => [key, wrong ?? null]) }))
for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error('Rewrite these so that they take linear time, or list those whose input is bounded in allowed-expressions.ts.')
  process.exitCode = 1
}

function readVerdicts(): Verdicts {
  try {
    const cached = JSON.parse(readFileSync(cacheFile, 'utf8')) as { version: string; verdicts: [string, string | null][] }
    return new Map(cached.version === version ? cached.verdicts.map(([key, wrong]) => [key, wrong ?? undefined]) : [])
  } catch {
    return new Map()
  }
}
