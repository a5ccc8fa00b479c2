/** `openapi`: a document only if it declares OpenAPI. */
export type DocumentKind = 'document' | 'openapi'

const markdown = new Set(['md', 'markdown', 'mdx'])
const markup = new Set(['rst', 'adoc', 'asciidoc', 'ipynb'])
const html = new Set(['html', 'htm'])
const data = new Set(['json', 'yaml', 'yml'])

/** Formats of pip, CMake, crawlers and spelling checkers that share an extension with plain text. */
const programText =
  /^(?:(?:(?:dev|test|docs)[-_])?requirements|requirements[-_](?:dev|test|docs)|cmakelists|robots|spelling_wordlist)\.txt$/i

const docsFolder = /^(docs?|documentation)$/i
const testFolder = /^(tests?|__tests__|testdata|test-data|fixtures?|__fixtures__|snapshots?|__snapshots__)$/i

/** The kind of a document by its extension; undefined for other files. */
export function documentKind(path: string): DocumentKind | undefined {
  const { stem, extension } = partsOf(path)
  if (stem === '') return undefined
  if (markdown.has(extension) || markup.has(extension) || html.has(extension) || extension === 'txt') return 'document'
  return data.has(extension) ? 'openapi' : undefined
}

/**
 * The reason why a file with the extension of a document is data: a text format of a program, or HTML for tests. Other exclusions belong to
 * `excludeFolders` and `excludeFiles`, which an owner can change.
 */
export function whyData(path: string): string | undefined {
  const { name, extension, folders } = partsOf(path)
  if (programText.test(name)) return 'a list for programs'
  return html.has(extension) && isTestData(folders) ? 'test data' : undefined
}

function isTestData(folders: string[]): boolean {
  const test = folders.findIndex((name) => testFolder.test(name))
  return test >= 0 && !folders.slice(0, test).some((name) => docsFolder.test(name))
}

function partsOf(path: string): { name: string; stem: string; extension: string; folders: string[] } {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const dot = name.lastIndexOf('.')
  return { name, stem: name.slice(0, Math.max(dot, 0)), extension: name.slice(dot + 1).toLowerCase(), folders }
}
