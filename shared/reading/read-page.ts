import { extname } from 'node:path/posix'
import { markdownExtensions } from './markdown/markdown-extensions.ts'
import type { FindIncludes, Page, Reader, ReaderContext } from './page/page.ts'

type Format = { load(): Promise<Reader>; loadIncludes?(): Promise<FindIncludes<keyof ReaderContext>> }

const markdown: Format = {
  load: async () => (await import('./markdown/reader.ts')).markdownReader,
  loadIncludes: async () => (await import('./markdown/expand-includes.ts')).findMarkdownIncludes,
}
const asciidoc: Format = {
  load: async () => (await import('./asciidoc/reader.ts')).asciidocReader,
  loadIncludes: async () => (await import('./asciidoc/find-asciidoc-includes.ts')).findAsciidocIncludes,
}
const html: Format = { load: async () => (await import('./html/reader.ts')).htmlReader }
const openapi: Format = {
  load: async () => (await import('./read-api-description.ts')).apiDescriptionReader,
  loadIncludes: async () => (await import('./openapi/find-openapi-parts.ts')).findOpenapiParts,
}

const graphql: Format = { load: async () => (await import('./graphql/reader.ts')).graphqlReader }

const python: Format = { load: async () => (await import('./api-reference/python/reader.ts')).pythonReader }
const typescript: Format = { load: async () => (await import('./api-reference/typescript/reader.ts')).typescriptReader }

/** Source files are listed only for a library with `apiReference`. */
const sources: Record<string, Format> = {
  '.py': python,
  '.pyi': python,
  '.go': { load: async () => (await import('./api-reference/go/reader.ts')).goReader },
  '.rs': { load: async () => (await import('./api-reference/rust/reader.ts')).rustReader },
  '.java': { load: async () => (await import('./api-reference/java/reader.ts')).javaReader },
  '.ts': typescript,
  '.tsx': typescript,
}

/** Formats by file extension. Parsers are loaded on first use. */
const formats: Record<string, Format> = {
  ...Object.fromEntries(markdownExtensions.map((each) => [each, markdown])),
  '.mdx': { ...markdown, load: async () => (await import('./markdown/reader.ts')).mdxReader },
  '.rst': {
    load: async () => (await import('./rst/reader.ts')).rstReader,
    loadIncludes: async () => (await import('./rst/find-rst-includes.ts')).findRstIncludes,
  },
  '.adoc': asciidoc,
  '.asciidoc': asciidoc,
  '.asc': asciidoc,
  '.ipynb': { load: async () => (await import('./notebook/reader.ts')).notebookReader },
  '.txt': { load: async () => (await import('./text/reader.ts')).textReader },
  '.html': html,
  '.htm': html,
  '.json': openapi,
  '.yaml': openapi,
  '.yml': openapi,
  '.graphql': graphql,
  '.graphqls': graphql,
  '.gql': graphql,
  ...sources,
}

/** Formats that are no text, by file extension. Their readers get the path on disk. */
const binaryFormats: Record<string, () => Promise<(file: string) => Promise<Page>>> = {
  '.pdf': async () => (await import('./pdf/read-pdf.ts')).readPdf,
  '.docx': async () => (await import('./docx/read-docx.ts')).readDocx,
}

const binaryReader = (path: string) => binaryFormats[extname(path).toLowerCase()]

/** True for a source file, whose page is an API reference. */
export const isSourceFormat = (path: string): boolean => extname(path).toLowerCase() in sources

/** True for a file that `readBinaryPage` reads. */
export const isBinaryFormat = (path: string): boolean => binaryReader(path) !== undefined

/** Reads a file that is no text. `file` is its path on disk, `path` the one that names its format. Throws as `readPage` does. */
export async function readBinaryPage(file: string, path: string): Promise<Page> {
  const load = binaryReader(path)
  if (!load) throw new Error(`no reader for ${extname(path)}`)
  return (await load())(file)
}

const formatOf = (path: string): Format | undefined => formats[extname(path).toLowerCase()]

/** Reads one file with the reader of its format. Throws if there is no reader, or if the reader rejects the text. */
export async function readPage(text: string, context: ReaderContext): Promise<Page> {
  const format = formatOf(context.path)
  if (!format) throw new Error(`no reader for ${extname(context.path) || 'files without an extension'}`)
  const read = await format.load()
  return read(text, context)
}

/** Paths of the files that this file includes. */
export async function includesOf(text: string, context: ReaderContext): Promise<string[]> {
  const find = await formatOf(context.path)?.loadIncludes?.()
  return find ? find(text, context) : []
}
