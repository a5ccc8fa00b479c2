import { parse } from 'smol-toml'
import { z } from 'zod'
import type { Named } from './named.ts'

const Source = z.object({
  package: z.string().optional(),
  version: z.string().optional(),
  git: z.string().optional(),
  path: z.string().optional(),
})
const Table = z.record(z.string(), z.union([z.string(), Source])).optional()
const tables = { dependencies: Table, 'dev-dependencies': Table, 'build-dependencies': Table }
const Manifest = z.object({
  ...tables,
  workspace: z.object({ dependencies: Table }).optional(),
  target: z.record(z.string(), z.object(tables)).optional(),
})

export function* readCargoToml(text: string): Generator<Named> {
  const { workspace, target = {}, ...own } = Manifest.parse(parse(text))
  for (const part of [own, workspace ?? {}, ...Object.values(target)])
    for (const table of Object.values(part)) for (const [name, source] of Object.entries(table ?? {})) yield* crate(name, source)
}

function* crate(name: string, source: string | z.infer<typeof Source>): Generator<Named> {
  if (typeof source === 'string') yield { ecosystem: 'crates', name, version: source }
  else if (source.git !== undefined) yield { repository: source.git }
  else if (source.path === undefined) yield { ecosystem: 'crates', name: source.package ?? name, version: source.version }
}
