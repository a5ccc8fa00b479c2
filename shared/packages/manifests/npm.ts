import { z } from 'zod'
import type { Named } from './named.ts'

const Versions = z.record(z.string(), z.unknown()).optional()
const Manifest = z.object({
  dependencies: Versions,
  devDependencies: Versions,
  peerDependencies: Versions,
  optionalDependencies: Versions,
})
type Manifest = z.infer<typeof Manifest>
/** The installed version of a package. */
type VersionOf = (name: string) => string | undefined

export function* readPackageJson(text: string): Generator<Named> {
  yield* dependenciesOf(Manifest.parse(JSON.parse(text)), () => undefined)
}

const Installed = Manifest.extend({ version: z.unknown().optional() })
const Lock = z.object({
  packages: z.record(z.string(), Installed).optional(),
  dependencies: z.record(z.string(), Installed).optional(),
})

/** A lock of version 2 or 3 has the direct dependencies of the root and of each workspace; one of version 1 names all packages. */
export function* readNpmLock(text: string): Generator<Named> {
  const { packages, dependencies = {} } = Lock.parse(JSON.parse(text))
  const installed = packages ?? dependencies
  const folder = packages ? 'node_modules/' : ''
  const versionOf = (name: string) =>
    textOf(Object.hasOwn(installed, folder + name) ? installed[folder + name]?.version : undefined)
  if (!packages) return yield* dependenciesOf({ dependencies }, versionOf)
  for (const [path, manifest] of Object.entries(packages))
    if (!/(?:^|\/)node_modules\//.test(path)) yield* dependenciesOf(manifest, versionOf)
}

const textOf = (version: unknown): string | undefined => (typeof version === 'string' ? version : undefined)

function* dependenciesOf(manifest: Manifest, versionOf: VersionOf): Generator<Named> {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest
  for (const group of [dependencies, devDependencies, peerDependencies, optionalDependencies])
    for (const [name, range] of Object.entries(group ?? {})) yield* npmDependency(name, textOf(range), versionOf(name))
}

const gitAddress = /^(?:git\+)?(?:https?|ssh):\/\/|^git@|^(?:github|gitlab):/
const local = /^(?:file|link|workspace|portal):/

/** A dependency by its range, and the version that is installed, if known. A local package is none. */
export function* npmDependency(name: string, range = '', installed?: string): Generator<Named> {
  if (local.test(range)) return
  const [, alias, aliased] = /^npm:(@?[^@]+)@?(.*)$/s.exec(range) ?? []
  if (alias !== undefined) yield { ecosystem: 'npm', name: alias, version: installed ?? aliased }
  else if (gitAddress.test(range) && !range.endsWith('.tgz')) yield { repository: repositoryOf(range) }
  else yield { ecosystem: 'npm', name, version: installed ?? range }
}

/** A branch, tag or range behind `#` belongs to the package manager. */
const repositoryOf = (range: string): string => range.replace(/#.*$/s, '').replace(/^git\+/, '')
