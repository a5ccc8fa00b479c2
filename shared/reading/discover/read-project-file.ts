import { z } from 'zod'
import { describeIssue } from '../../schemas/describe-issue.ts'
import { DocsLanguage } from '../../schemas/docs-language.ts'
import { pluralize } from '../../text/figures.ts'
import { visibleText } from '../../text/visible-text.ts'
import { decodeText } from './decode-text.ts'
import { patternText } from './pattern-text.ts'

/** Project files in the root of a repository; the first that exists is read. */
export const projectFileNames = ['carrel.json', 'context7.json'] as const

const maxProblems = 20

const line = (maxLength: number) => z.string().overwrite(visibleText).trim().min(1).max(maxLength)

const ProjectSettings = z.object({
  projectTitle: line(100).optional(),
  description: line(500).optional(),
  branch: line(255).optional(),
  folders: z.array(patternText(255)).optional(),
  excludeFolders: z.array(patternText(255)).optional(),
  excludeFiles: z.array(patternText(255).regex(/^[^/\\]+$/, 'must be a file name without a path')).optional(),
  languages: z.array(DocsLanguage).optional(),
  rules: z.array(line(255)).optional(),
  previousVersions: z.array(z.object({ tag: line(255) })).optional(),
  branchVersions: z.array(z.object({ branch: line(255) })).optional(),
  disallowIndexing: z.boolean().optional(),
})
/** The owner's settings for reading a repository. An absent field sets nothing. */
export type ProjectSettings = z.infer<typeof ProjectSettings>

/** Further items of a list are ignored. */
const maxItems = {
  folders: 200,
  excludeFolders: 200,
  excludeFiles: 200,
  languages: 50,
  rules: 50,
  previousVersions: 100,
  branchVersions: 100,
} satisfies Partial<Record<keyof ProjectSettings, number>>

/**
 * Reads the owner's settings file. Ignores invalid fields, invalid items of lists and items beyond the limits, and reports them in `problems`:
 * sentences for the owner, with the file's `name`.
 */
export function readProjectFile(bytes: Buffer, name: string): { settings: ProjectSettings; problems: string[] } {
  const whole = parse(bytes)
  if (whole === undefined) return { settings: {}, problems: [`${name} is not a JSON object; it is ignored`] }
  const { value, tooLong } = shortened(whole)
  const read = ProjectSettings.safeParse(value, { error: describeIssue })
  const issues = read.error?.issues ?? []
  const settings = read.data ?? ProjectSettings.parse(withoutFaults(value, issues))
  const ignored = tooLong.map(
    ({ field, items }) => `${field} in ${name} holds ${items} items; only the first ${maxItems[field]} are used`,
  )
  return { settings, problems: [...ignored, ...problemsOf(issues, name)] }
}

type ListField = keyof typeof maxItems

/** Cuts lists that are too long, so that only their first items are checked. */
function shortened(whole: Record<string, unknown>): {
  value: Record<string, unknown>
  tooLong: { field: ListField; items: number }[]
} {
  const value = { ...whole }
  const tooLong = (Object.keys(maxItems) as ListField[]).flatMap((field) => {
    const list = whole[field]
    if (!Array.isArray(list) || list.length <= maxItems[field]) return []
    value[field] = list.slice(0, maxItems[field])
    return [{ field, items: list.length }]
  })
  return { value, tooLong }
}

function problemsOf(issues: z.core.$ZodIssue[], name: string): string[] {
  const problems = issues
    .slice(0, maxProblems)
    .map(({ path, message }) => `${path.join('.')} in ${name} ${message}; the ${path.length > 1 ? 'item' : 'field'} is ignored`)
  const more = issues.length - problems.length
  return more > 0 ? [...problems, `${name} has ${pluralize(more, 'more mistake')}`] : problems
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  const text = decodeText(bytes)
  if (typeof text !== 'string') return undefined
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function withoutFaults(value: Record<string, unknown>, issues: z.core.$ZodIssue[]): Record<string, unknown> {
  const faulty = new Set(issues.map(({ path }) => path.slice(0, 2).join('/')))
  const kept = Object.entries(value)
    .filter(([field]) => !faulty.has(field))
    .map(([field, item]) => [field, Array.isArray(item) ? item.filter((_, index) => !faulty.has(`${field}/${index}`)) : item])
  return Object.fromEntries(kept)
}
