import { parse } from 'yaml'
import { z } from 'zod'
import type { Named } from './named.ts'
import { npmDependency } from './npm.ts'

const Dependency = z.union([z.object({ specifier: z.string(), version: z.string() }), z.string()])
const Group = z.record(z.string(), Dependency).optional()
const Importer = z.object({
  specifiers: z.record(z.string(), z.string()).optional(),
  dependencies: Group,
  devDependencies: Group,
  optionalDependencies: Group,
})
const Lock = z.object({ ...Importer.shape, importers: z.record(z.string(), Importer).optional() })

const maxImportersBytes = 512 * 1024
/** pnpm writes lists and objects in lines of their own. Many nested in one line take seconds, and deep ones overflow the stack. */
const maxBrackets = 10_000

/**
 * The direct dependencies of all workspaces. Most of a large file is what `packages` lists behind them, which is not parsed. An alias is an error:
 * pnpm writes none, and nested ones expand without bound.
 */
export function* readPnpmLock(text: string): Generator<Named> {
  const [importers = ''] = text.split(/^packages:/m, 1)
  if (importers.length > maxImportersBytes) throw new Error('its importers are larger than 512 kB.')
  if (/^ {100}/m.test(importers)) throw new Error('it was not written by pnpm.')
  if (importers.replace(/[^[{]+/g, '').length > maxBrackets) throw new Error('it was not written by pnpm.')
  const { importers: workspaces = {}, ...root } = Lock.parse(parse(importers, { maxAliasCount: 0, logLevel: 'error' }))
  for (const importer of [root, ...Object.values(workspaces)]) yield* dependenciesOf(importer)
}

/** Formats 6 to 9 have the specifier next to each version; format 5 lists the specifiers separately. */
function* dependenciesOf({ specifiers = {}, ...groups }: z.infer<typeof Importer>): Generator<Named> {
  for (const group of Object.values(groups))
    for (const [name, dependency] of Object.entries(group ?? {})) {
      const { specifier, version } =
        typeof dependency === 'string'
          ? { specifier: Object.hasOwn(specifiers, name) ? specifiers[name] : undefined, version: dependency }
          : dependency
      // The peers of a version follow it: 18.2.0(react@18.2.0), in format 5 18.2.0_react@18.2.0.
      if (!version.startsWith('link:')) yield* npmDependency(name, specifier, version.replace(/[(_].*$/s, ''))
    }
}
