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

const licenseNames = new Set([
  ...['license', 'licenses', 'licence', 'licences', 'unlicense', 'copying', 'copyright', 'notice', 'notices', 'patents'],
])
const licenseWords = new Set([
  ...['mit', 'isc', 'bsd', '0bsd', 'clause', 'apache', 'apache2', 'gpl', 'gplv2', 'gplv3', 'lgpl', 'lgplv2', 'lgplv3', 'agpl'],
  ...['agplv3', 'mpl', 'epl', 'cc', 'cc0', 'by', 'sa', 'boost', 'zlib', 'unicode', 'lesser', 'third', 'party'],
])
const thirdPartyNotices = /^third[-_ ]?party[-_ ]?(notices?|licen[cs]es?)$/i
const legalExtensions = new Set(['txt', 'rst'])

const dataNames = new Set([
  ...['requirements', 'requirements-dev', 'requirements-test', 'requirements-docs', 'dev-requirements', 'test-requirements'],
  ...['docs-requirements', 'requirements_dev', 'requirements_test', 'constraints', 'cmakelists', 'robots', 'humans', 'ads'],
  ...['authors', 'contributors', 'version', 'runtime', 'top_level', 'entry_points', 'dependency_links', 'requires', 'sources'],
  ...['spelling_wordlist'],
])

const docsFolder = /^(docs?|documentation)$/i
const testFolder = /^(tests?|__tests__|testdata|test-data|fixtures?|__fixtures__|snapshots?|__snapshots__)$/i

export const isForeignFolder = (name: string): boolean => foreignFolders.has(name)

/** Whether a file is documentation, by its extension alone. */
export function documentKind(path: string): DocumentKind | undefined {
  const { stem, extension } = partsOf(path)
  if (stem === '') return undefined
  if (markdown.has(extension) || markup.has(extension) || plain.has(extension)) return 'document'
  return data.has(extension) ? 'openapi' : undefined
}

/** Why a document is left out although no pattern says so. Markdown is left to `excludeFiles`, which an owner can change. */
export function foreignText(path: string): string | undefined {
  const { stem, extension, folders } = partsOf(path)
  if (legalExtensions.has(extension) && isLegal(stem)) return 'a legal text'
  if (extension === 'txt' && dataNames.has(stem.toLowerCase())) return 'a list for programs'
  return plain.has(extension) && isTestData(folders) ? 'test data' : undefined
}

function isTestData(folders: string[]): boolean {
  const test = folders.findIndex((name) => testFolder.test(name))
  return test >= 0 && !folders.slice(0, test).some((name) => docsFolder.test(name))
}

function isLegal(stem: string): boolean {
  const [name = '', ...words] = stem.toLowerCase().split(/[-_.]/)
  if (thirdPartyNotices.test(stem)) return true
  return licenseNames.has(name) && words.every((word) => licenseWords.has(word) || /^v?\d+$/.test(word))
}

function partsOf(path: string): { stem: string; extension: string; folders: string[] } {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const dot = name.lastIndexOf('.')
  return { stem: name.slice(0, Math.max(dot, 0)), extension: name.slice(dot + 1).toLowerCase(), folders }
}
