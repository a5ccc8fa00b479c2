import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mapOrdered } from '../../shared/time/map-ordered.ts'
import { installTool } from '../../tools/install-tool.ts'
import type { Expression } from './find-expressions.ts'

/** `files` starts the paths of the files; `expressions` are as they are written there. */
export type Allowed = { files: string; reason: string; expressions: string[] }

/** The fault of each expression; undefined if it is safe. */
export type Verdicts = Map<string, string | undefined>

const verdictKey = ({ pattern, flags }: Expression): string => `/${pattern}/${flags}`

const inFlight = 4
/**
 * recheck judges some expressions by trying inputs. By default it takes an input for slow after 250 or 1,000 ms, so that the verdict
 * depends on the load of the machine. Here it counts the characters that are read instead. The timeout only ends a check that hangs.
 */
const countedLimits: Limits = { timeout: 300_000, incubationTimeout: null, attackTimeout: null, attackLimit: 100_000_000 }

/** One sentence for each expression that may take more than linear time and is not allowed, and for each allowed one that no longer exists. */
export async function judgeExpressions(
  found: Expression[],
  allowed: Allowed[],
  verdicts: Verdicts,
  limits = countedLimits,
): Promise<string[]> {
  const unused = new Set(allowed.flatMap((each) => each.expressions.map((text) => `${each.files} ${text}`)))
  const isAllowed = ({ file, text }: Expression): boolean => {
    const by = allowed.filter(({ files, expressions }) => file.startsWith(files) && expressions.includes(text))
    for (const { files } of by) unused.delete(`${files} ${text}`)
    return by.length > 0
  }
  const suspects = found.filter((each) => !isAllowed(each))
  const problems: string[] = []
  for await (const [{ file, line, text }, wrong] of mapOrdered(suspects, inFlight, (each) => verdictOf(each, verdicts, limits)))
    if (wrong !== undefined) problems.push(`${file}:${line} ${text} ${wrong}`)
  return [...problems, ...[...unused].map((entry) => `${entry} is allowed, but is not in the source any more`)]
}

type Judged =
  | { status: 'safe' }
  | { status: 'vulnerable'; complexity: { summary: string }; attack: { pattern: string } }
  | { status: 'unknown'; error: { kind: string } }
type Limits = { timeout: number; incubationTimeout?: null; attackTimeout?: null; attackLimit?: number }
type Recheck = { check(pattern: string, flags: string, options: Limits): Promise<Judged> }

async function recheck(): Promise<Recheck> {
  const packages = await installTool('recheck')
  return import(pathToFileURL(join(packages, 'recheck/index.js')).href)
}

async function verdictOf(expression: Expression, verdicts: Verdicts, limits: Limits): Promise<string | undefined> {
  const { pattern, flags } = expression
  if (pattern === undefined) return 'is put together at run time, so it cannot be checked'
  const key = verdictKey(expression)
  if (!verdicts.has(key)) {
    const { check } = await recheck()
    const found = await check(pattern, flags, limits)
    if (found.status === 'safe') verdicts.set(key, undefined)
    else if (found.status === 'vulnerable') verdicts.set(key, `is ${found.complexity.summary}: ${found.attack.pattern}`)
    else return `cannot be checked: ${found.error.kind}`
  }
  return verdicts.get(key)
}
