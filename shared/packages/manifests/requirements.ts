import { parse } from 'smol-toml'
import { z } from 'zod'
import { linesOf } from './lines.ts'
import type { Named } from './named.ts'

/** The name at the start of a requirement (PEP 508), and its only version, if it is pinned. */
const requirement = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\]\s*)?(?:==\s*([\w.!+-]+)\s*(?:;.*)?$|[<>=!~;@(#].*|$)/s
const fromGit = /(?:^|[\s@])git\+(https?:\/\/[^\s#;]+)/
const maxRequirementChars = 2_000

function* requirementOf(text: string): Generator<Named> {
  if (text.length > maxRequirementChars) return
  const [, repository] = fromGit.exec(text) ?? []
  const [, name, version] = requirement.exec(text) ?? []
  // A tag or branch follows the path.
  if (repository !== undefined) yield { repository: repository.replace(/(\/[^/@]+\/[^/@]+)@.*$/s, '$1') }
  else if (name !== undefined) yield { ecosystem: 'pypi', name, version }
}

/** Options such as `-r other.txt` name no package, but `-e` may name a repository. */
export function* readRequirements(text: string): Generator<Named> {
  for (const line of linesOf(text)) {
    const content = line.replace(/(?:^|\s)#.*$/s, '').replace(/\s--hash.*$|\\\s*$/s, '')
    if (!/^\s*-(?!e\s|-editable[\s=])/.test(content)) yield* requirementOf(content)
  }
}

const Texts = z.array(z.unknown()).optional()
const Groups = z.record(z.string(), Texts).optional()
const Table = z.record(z.string(), z.unknown()).optional()
const Poetry = z.object({
  dependencies: Table,
  'dev-dependencies': Table,
  group: z.record(z.string(), z.object({ dependencies: Table })).optional(),
})
const Pyproject = z.object({
  project: z.object({ dependencies: Texts, 'optional-dependencies': Groups }).optional(),
  'dependency-groups': Groups,
  tool: z.object({ poetry: Poetry.optional() }).optional(),
})

export function* readPyproject(text: string): Generator<Named> {
  const { project, 'dependency-groups': groups = {}, tool } = Pyproject.parse(parse(text))
  const optional = project?.['optional-dependencies'] ?? {}
  const lists = [project?.dependencies, ...Object.values(optional), ...Object.values(groups)]
  for (const list of lists) for (const item of list ?? []) if (typeof item === 'string') yield* requirementOf(item)
  yield* poetryDependencies(tool?.poetry)
}

function* poetryDependencies(poetry: z.infer<typeof Poetry> | undefined): Generator<Named> {
  const groups = Object.values(poetry?.group ?? {}).map(({ dependencies }) => dependencies)
  for (const table of [poetry?.dependencies, poetry?.['dev-dependencies'], ...groups])
    for (const [name, range] of Object.entries(table ?? {}))
      if (name !== 'python') yield { ecosystem: 'pypi', name, version: typeof range === 'string' ? range : undefined }
}
