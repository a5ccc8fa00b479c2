/** `openapi`: only if the beginning of the file says so. */
export type DocumentKind = 'document' | 'openapi'

const markdown = new Set(['md', 'markdown', 'mdx'])
const markup = new Set(['rst', 'adoc', 'asciidoc', 'ipynb'])
const plain = new Set(['txt', 'html', 'htm'])
const data = new Set(['json', 'yaml', 'yml'])

/** Folders of tools and of other people's code: never documentation of the repository, and often huge. */
const foreignFolders = new Set([
  ...['.git', '.hg', '.svn', '.github', '.gitlab', '.changeset', '.idea', '.vscode', '.cache', '.tox', '.venv', 'venv'],
  ...['node_modules', 'bower_components', 'vendor', 'third_party', 'site-packages', '__pycache__', 'Pods', 'Carthage'],
])

/** Legal texts and data with a document's extension. Markdown is left to `excludeFiles`, which an owner can change. */
const legal = /^((un)?licen[cs]es?|copying|copyright|notices?|patents?|third[-_ ]?party[-_ ]?(notices?|licen[cs]es?))([-_.].*)?$/i
const dataText =
  /^((.*[-_.])?(requirements|constraints|robots|humans|ads|cmakelists|authors|contributors|version|runtime|packages|sources|top_level|entry_points|dependency_links|requires|spelling_wordlist|wordlist|words|dictionary|output|expected|stdout|stderr)([-_.].*)?)\.txt$/i
const testFolder = /(^|\/)(tests?|__tests__|testdata|test-data|fixtures?|__fixtures__|snapshots?|__snapshots__)\//i

export const isForeignFolder = (name: string): boolean => foreignFolders.has(name)

/** Whether a file is documentation, by its name alone. */
export function documentKind(path: string): DocumentKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const extension = name.slice(dot + 1).toLowerCase()
  if (dot <= 0) return undefined
  if (markdown.has(extension)) return 'document'
  if (legal.test(name.slice(0, dot))) return undefined
  if (markup.has(extension)) return 'document'
  if (plain.has(extension)) return dataText.test(name) || testFolder.test(path) ? undefined : 'document'
  return data.has(extension) ? 'openapi' : undefined
}
