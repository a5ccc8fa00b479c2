import type { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { shortened } from '../../shared/text/excerpt.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import { type Defaults, type Entry, entrySchemas, ManifestFile } from './manifest.ts'
import { parseYaml } from './parse-yaml.ts'
import type { YamlProblem } from './yaml-worker.ts'

const maxListed = 10
const maxFields = 100

/** A place in the file, as keys from its root. */
export type ManifestPath = readonly PropertyKey[]

/** A file that is valid by itself. `problemAt` says what is wrong with a place of it. */
export type ReadManifest = {
  defaults: Defaults | undefined
  entries: { entry: Entry; path: ManifestPath }[]
  settings: Record<string, unknown>
  lineOf(path: ManifestPath): number
  problemAt(path: ManifestPath, message: string): YamlProblem
}

/**
 * Reads carrel.yaml. Throws payload_too_large, and validation_error with the lines of everything that is wrong: then nothing of the file is used.
 * No message repeats a value of the file.
 */
export async function readManifest(text: string): Promise<ReadManifest> {
  const parsed = await parseYaml(text)
  if ('problems' in parsed) throw rejected(parsed.problems)
  const lineOf = (path: ManifestPath): number => {
    for (let length = path.length; length > 0; length--) {
      const line = parsed.lines.get(JSON.stringify(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return 1
  }
  const problemAt = (path: ManifestPath, message: string) => ({ line: lineOf(path), path: shown(path), message: plain(message) })
  const read = ManifestFile.safeParse(parsed.value ?? {})
  if (!read.success) throw rejected(read.error.issues.flatMap((issue) => problemsOf(issue, [], problemAt)))
  const { defaults, libraries = [], repos = [], settings = {} } = read.data
  const problems: YamlProblem[] = []
  if (libraries.length > 0 && repos.length > 0)
    problems.push(problemAt(['repos'], 'is another name of libraries: use one of them'))
  const list = repos.length > 0 ? 'repos' : 'libraries'
  const entries = (repos.length > 0 ? repos : libraries).flatMap((raw, at) => {
    const path = [list, at]
    const entry = readEntry(raw, path, problemAt)
    if (!Array.isArray(entry)) return [{ entry, path }]
    problems.push(...entry)
    return []
  })
  if (problems.length > 0) throw rejected(problems)
  return { defaults, entries, settings, lineOf, problemAt }
}

/** The entry, or what is wrong with it. */
function readEntry(
  raw: Record<string, unknown>,
  path: ManifestPath,
  problemAt: ReadManifest['problemAt'],
): Entry | YamlProblem[] {
  const schema = entrySchemas.get(String(raw.type ?? 'git'))
  if (!schema) return [problemAt([...path, 'type'], `must be one of ${[...entrySchemas.keys()].join(', ')}`)]
  const read = schema.safeParse(raw)
  if (!read.success) return read.error.issues.flatMap((issue) => problemsOf(issue, path, problemAt))
  const { url, repoUrl } = read.data
  return (url === undefined) === (repoUrl === undefined) ? [problemAt(path, 'must have one url')] : read.data
}

/** The error for a file with these problems. */
export function rejected(problems: YamlProblem[]): AppError {
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  const listed = sorted
    .slice(0, maxListed)
    .map(({ line, path, message }) => `line ${line}: ${path === '' ? '' : `${path} `}${message}`)
  const more = sorted.length > maxListed ? `; ${sorted.length - maxListed} more` : ''
  return new AppError('validation_error', `The file is rejected and nothing was changed. ${listed.join('; ')}${more}.`, {
    fields: {
      fields: sorted.slice(0, maxFields).map(({ line, path, message }) => ({ path, message: `${message} (line ${line})` })),
    },
  })
}

function problemsOf(issue: z.core.$ZodIssue, below: ManifestPath, problemAt: ReadManifest['problemAt']): YamlProblem[] {
  const path = [...below, ...issue.path]
  if (issue.code !== 'unrecognized_keys') return [problemAt(path, issue.message)]
  return issue.keys.map((key) => problemAt([...path, key], 'is not a field that can be declared'))
}

const shown = (path: ManifestPath): string => shortened(visibleText(path.map(String).join('.')), 100)
const plain = (message: string): string => shortened(visibleText(message), 300).replace(/\.$/, '')
