import { z } from 'zod'
import { readScriptConfig } from './read-script-config.ts'
import type { Titled } from './titled.ts'

/** Programs need far more memory to read than data. */
const maxScriptLength = 256 * 1024

type ConfigReader = (source: string) => Promise<Titled>

const text = z.string().optional().catch(undefined)

const Mintlify = z.object({ name: z.string(), description: text })
/** Tells Mintlify's `docs.json` from other files of this name. */
const IsMintlify = z.union([z.object({ $schema: z.string().includes('mintlify') }), z.object({ navigation: z.unknown() })])
const Gitbook = z.object({ title: text, description: text })
const Book = z.object({ book: z.object({ title: text, description: text }) })
const Zensical = z.object({ project: z.object({ site_name: text, site_description: text }) })
const Hugo = z.object({ title: text, params: z.object({ description: text }).optional().catch(undefined) })

const script =
  (part: 'export' | 'starlight'): ConfigReader =>
  async (source) =>
    source.length > maxScriptLength ? {} : readScriptConfig(source, part)

const yaml =
  (title: string, description: string): ConfigReader =>
  async (source) => ({ title: await yamlField(source, title), description: await yamlField(source, description) })

const toml =
  <T>(schema: z.ZodType<T>, titled: (config: T) => Titled): ConfigReader =>
  async (source) =>
    titled(schema.parse((await import('smol-toml')).parse(source)))

const mintlify: ConfigReader = async (json) => {
  const config: unknown = JSON.parse(json)
  IsMintlify.parse(config)
  const { name: title, description } = Mintlify.parse(config)
  return { title, description }
}

const gitbook: ConfigReader = async (json) => Gitbook.parse(JSON.parse(json))

/** `conf.py` is a program; only a plain string is read. */
const sphinx: ConfigReader = async (python) => {
  const [, double, single] =
    /^project[ \t]{0,20}=[ \t]{0,20}[uU]?(?:"([^"\\\n]{1,200})"|'([^'\\\n]{1,200})')[ \t]{0,20}(?:#|\r?$)/m.exec(python) ?? []
  return { title: double ?? single }
}

/** Configurations of documentation sites by their file, in the order in which they are looked for in a folder. */
const readers: [path: RegExp, read: ConfigReader][] = [
  [/^\.vitepress\/config(\/index)?\.m?[jt]s$/, script('export')],
  [/^\.vuepress\/config\.m?[jt]s$/, script('export')],
  [/^docusaurus\.config\.[cm]?[jt]s$/, script('export')],
  [/^astro\.config\.[cm]?[jt]s$/, script('starlight')],
  [/^rspress\.config\.[cm]?[jt]s$/, script('export')],
  [/^mkdocs\.ya?ml$/, yaml('site_name', 'site_description')],
  [/^zensical\.toml$/, toml(Zensical, ({ project }) => ({ title: project.site_name, description: project.site_description }))],
  [/^(docs|mint)\.json$/, mintlify],
  [/^antora\.yml$/, yaml('title', 'description')],
  [/^conf\.py$/, sphinx],
  [/^book\.toml$/, toml(Book, ({ book }) => book)],
  [/^book\.json$/, gitbook],
  [/^hugo\.toml$/, toml(Hugo, ({ title, params }) => ({ title, description: params?.description }))],
  [/^(hugo|_config)\.ya?ml$/, yaml('title', 'description')],
]

/** Folders of a documentation folder that hold a configuration themselves. */
export const configFolders = ['.vitepress', '.vitepress/config', '.vuepress']

/** The readers for the files of a folder, the first to ask first. Paths are relative to the folder. */
export const configReaders = (paths: string[]): { path: string; read: ConfigReader }[] =>
  readers.flatMap(([pattern, read]) => paths.filter((path) => pattern.test(path)).map((path) => ({ path, read })))

const maxFieldLength = 2_000

/**
 * A text in the top mapping of a YAML file. Only the lines of this field are parsed: the parser's time grows with the square of a file that has
 * many anchors or tags, and it rejects a whole file for the tags of a generator.
 */
async function yamlField(source: string, name: string): Promise<string | undefined> {
  const lines = source.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith(`${name}:`))
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => /^\S/.test(line))
  const field = lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n')
  if (field.length > maxFieldLength) return undefined
  const { isMap, parseDocument } = await import('yaml')
  const { errors, contents } = parseDocument(field, { logLevel: 'silent' })
  // `parse` converts mappings that are keys to text, which takes minutes if they are nested.
  const value: unknown = errors.length === 0 && isMap(contents) ? contents.get(name) : undefined
  return typeof value === 'string' ? value : undefined
}
