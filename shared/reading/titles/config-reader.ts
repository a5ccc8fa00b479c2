import { z } from 'zod'
import { readScriptConfig } from './read-script-config.ts'
import type { Titled } from './titled.ts'
import { yamlText } from './yaml-text.ts'

/** Programs need far more memory to read than data. */
const maxScriptLength = 256 * 1024
const maxFieldLength = 2_000

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
  async (source) => ({
    title: await yamlText(source, [title], maxFieldLength),
    description: await yamlText(source, [description], maxFieldLength),
  })

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
