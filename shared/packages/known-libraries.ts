import { z } from 'zod'
import data from './data/known-libraries.json' with { type: 'json' }
import { ecosystems, type PackageName, packageName } from './registries/package-name.ts'

const KnownLibrary = z.strictObject({
  title: z.string(),
  group: z.string(),
  /** `owner/repo` on GitHub. */
  repository: z.string(),
  /** Where its documentation is; empty if a parse finds it. */
  folders: z.array(z.string()),
  /** `ecosystem:name` of the packages that the documentation is about. A `*` at the end stands for any name. */
  packages: z.array(z.string()),
  /** The day on which the repository and its folders were last seen to exist. */
  checked: z.iso.date().nullable(),
})
export type KnownLibrary = z.infer<typeof KnownLibrary>
/** The repository of a package, with the folders of its documentation. */
export type KnownRepository = Pick<KnownLibrary, 'title' | 'repository' | 'folders'>

type Known = {
  libraries: readonly KnownLibrary[]
  byTitle: ReadonlyMap<string, KnownLibrary>
  byPackage: ReadonlyMap<string, KnownLibrary>
}
let loaded: Known | undefined

/** Popular libraries with the repositories of their documentation. The list is shipped; nothing is requested. */
export const knownLibraries = (): readonly KnownLibrary[] => load().libraries

/** The repository of a package. A Go module on GitHub names it itself. */
export function repositoryOfPackage({ ecosystem, name }: PackageName): KnownRepository | undefined {
  const { byPackage } = load()
  for (const candidate of nearestFirst[ecosystem](name)) {
    const library = byPackage.get(`${ecosystem}:${candidate}`)
    if (library) return library
  }
  return ecosystem === 'go' ? repositoryOfModule(name) : undefined
}

/** The library with this title, or with a package of this name in the first registry that has one. `pypi:redis` names the registry. */
export function repositoryCalled(text: string): KnownRepository | undefined {
  const { byTitle } = load()
  const library = byTitle.get(text.toLowerCase())
  if (library) return library
  const [, registry, nameInRegistry] = /^([a-z]+):(.+)$/.exec(text) ?? []
  const named = ecosystems.find((each) => each === registry)
  for (const ecosystem of named ? [named] : ecosystems) {
    const name = packageName(ecosystem, named ? (nameInRegistry ?? '') : text)
    const repository = name && repositoryOfPackage(name)
    if (repository) return repository
  }
  return undefined
}

const onlyItself = (name: string): string[] => [name]

/** The names under which a package may be in the list: its own, then patterns for the packages around it. */
const nearestFirst: Record<PackageName['ecosystem'], (name: string) => string[]> = {
  npm: (name) => [name, typed(name), `${typed(name).split('/')[0]}/*`],
  pypi: onlyItself,
  crates: onlyItself,
  rubygems: onlyItself,
  maven: (name) => [name, `${name.split(':')[0]}:*`],
  nuget: (name) => [name, ...parents(name, '.').map((parent) => `${parent}.*`)],
  go: (name) => [name, ...parents(name, '/')],
}

/** `@types/react` has the types of `react`, `@types/babel__core` those of `@babel/core`. */
const typed = (name: string): string => name.replace(/^@types\/(?:(.+)__)?/, (_, scope) => (scope ? `@${scope}/` : ''))

/** The names above a name, the nearest first. A name has at most 214 characters. */
function parents(name: string, separator: string): string[] {
  const parts = name.split(separator)
  return parts.slice(1).map((_, at) => parts.slice(0, parts.length - 1 - at).join(separator))
}

const onGithub = /^github\.com\/([^/]+\/[^/]+)/
const ofGoProject = /^golang\.org\/x\/([^/]+)/

function repositoryOfModule(path: string): KnownRepository | undefined {
  const [, project] = ofGoProject.exec(path) ?? []
  const [, repository = project && `golang/${project}`] = onGithub.exec(path) ?? []
  return repository === undefined ? undefined : { title: repository, repository, folders: [] }
}

function load(): Known {
  if (loaded) return loaded
  const libraries = z.array(KnownLibrary).parse(data)
  const byTitle = new Map(libraries.map((library) => [library.title.toLowerCase(), library]))
  const byPackage = new Map(libraries.flatMap((library) => library.packages.map((name) => [name, library] as const)))
  loaded = { libraries, byTitle, byPackage }
  return loaded
}
