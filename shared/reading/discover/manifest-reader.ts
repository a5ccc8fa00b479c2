import { z } from 'zod'

/** The fields of one manifest. Nobody installs a private package, so its name is not a name of the library. */
export type Manifest = { name?: string; title?: string; description?: string; isPrivate?: boolean }

export type ManifestReader = (text: string) => Promise<Manifest>

/** The reader for a manifest by its file name; undefined for other files. */
export function manifestReader(fileName: string): ManifestReader | undefined {
  return byName[fileName] ?? byExtension[fileName.slice(fileName.lastIndexOf('.') + 1)]
}

const text = z.string().trim().min(1).optional().catch(undefined)
const described = z.object({ name: text, description: text })

const NpmPackage = described.extend({ private: z.boolean().optional().catch(undefined) })
const Pyproject = z.object({
  project: described.optional().catch(undefined),
  tool: z
    .object({ poetry: described.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})
const CargoToml = z.object({ package: described.extend({ publish: z.unknown().optional() }).optional().catch(undefined) })
const Pubspec = described.extend({ publish_to: text })

const byName: Record<string, ManifestReader> = {
  'package.json': async (json) => {
    const { name, description, private: isPrivate } = NpmPackage.parse(JSON.parse(json))
    return { name, description, isPrivate }
  },
  'composer.json': async (json) => described.parse(JSON.parse(json)),
  'pyproject.toml': async (toml) => {
    const { project, tool } = Pyproject.parse(await parseToml(toml))
    return project?.name === undefined ? (tool?.poetry ?? {}) : project
  },
  'Cargo.toml': async (toml) => {
    const { publish, ...manifest } = CargoToml.parse(await parseToml(toml)).package ?? {}
    return { ...manifest, isPrivate: publish === false }
  },
  'pubspec.yaml': async (yaml) => {
    const { parse } = await import('yaml')
    const { publish_to: target, ...manifest } = Pubspec.parse(parse(yaml, { uniqueKeys: false }))
    return { ...manifest, isPrivate: target === 'none' }
  },
  'setup.cfg': async (ini) => {
    const [, metadata = ''] = /^\[metadata\]([^[]*)/m.exec(ini) ?? []
    return {
      name: firstGroup(/^name[ \t]*=[ \t]*(\S+)/m, metadata),
      description: firstGroup(/^description[ \t]*=[ \t]*(\S.*)/m, metadata),
    }
  },
  'setup.py': async (python) => ({ name: firstGroup(/\bname[ \t]*=[ \t]*['"]([^'"\n]+)['"]/, python) }),
  'go.mod': async (go) => ({ name: firstGroup(/^module[ \t]+"?([^\s"]+)/m, go) }),
  'mix.exs': async (elixir) => ({ name: firstGroup(/\bapp:[ \t]*:([a-z]\w*)/, elixir) }),
  'pom.xml': (xml) => readXml(xml, 'project', { name: 'artifactId', title: 'name', description: 'description' }),
}

const byExtension: Record<string, ManifestReader> = {
  gemspec: async (ruby) => ({
    name: firstGroup(/\.name[ \t]*=[ \t]*['"]([^'"\n]+)['"]/, ruby),
    description: firstGroup(/\.summary[ \t]*=[ \t]*['"]([^'"\n]+)['"]/, ruby),
  }),
  csproj: (xml) => readXml(xml, 'PropertyGroup', { name: 'PackageId', title: 'Title', description: 'Description' }),
  nuspec: (xml) => readXml(xml, 'metadata', { name: 'id', title: 'title', description: 'description' }),
}

async function parseToml(toml: string): Promise<unknown> {
  return (await import('smol-toml')).parse(toml)
}

/** Reads direct children of `parent` only, since a `pom.xml` also names its parent and dependencies. */
async function readXml(xml: string, parent: string, tags: Record<'name' | 'title' | 'description', string>): Promise<Manifest> {
  const { DOMParser } = await import('linkedom')
  const children = [...new DOMParser().parseFromString(xml, 'text/xml').querySelectorAll(parent)].flatMap(({ children }) => [
    ...children,
  ])
  const of = (tag: string) => text.parse(children.find(({ tagName }) => tagName === tag)?.textContent)
  return { name: of(tags.name), title: of(tags.title), description: of(tags.description) }
}

const firstGroup = (pattern: RegExp, source: string): string | undefined => pattern.exec(source)?.[1]
