import { ancestors } from './selection.ts'

/** A file, or a folder with a slash at its end, that holds no documentation for users of the library. */
export type Junk = { path: string; reason: string }

const docsFolder =
  /^(?:docs?|documentation|content|guides?|manual|pages|book|wiki|website|site|.{1,60}[-_.]docs?|docs?[-_.].{1,60}|user[-_]?guide|reference|tutorials?)$/i
/** Its names are all in lower case: `.NET` may be a subject. */
const dotFolder = /^\.(?!docs?$|documentation$)[a-z]/
const packageFolder =
  /^(?:node_modules|bower_components|jspm_packages|site-packages|site_libs|pods|venv|vendor|third[-_]?party)$/i
const alwaysPackages = /^(?:node_modules|bower_components|jspm_packages|site-packages|site_libs)$/i
const testFolder =
  /^(?:(?:(?:integration|unit|functional|e2e)[-_]?)?tests?|__tests__|__mocks__|test[-_]?data|fixtures?|__fixtures__|snapshots?|__snapshots__|revdep)$/i
const templateFolder = /^(?:_templates|_layouts|archetypes)$|\{\{|\{%/i

/** Exact names: `agents.md` may be a page about agents. */
const agentFile = /^(?:AGENTS?|CLAUDE|GEMINI|SKILL)(?:\.local|\.override)?\.mdx?$|^copilot-instructions\.md$/
const form = /^(?:pull_request|issue|bug_report|feature_request)_template\.[a-z]+$/i
/** Formats of pip, CMake, crawlers and spelling checkers that share an extension with plain text. */
const programText =
  /^(?:(?:dev|devel|tests?|testing|docs?|build|ci|lint|base|core|prod|optional|extra|min|full|all|gpu|cpu|local|examples?)[-_])?requirements(?:[-_.][a-z0-9_.-]{1,60})?\.txt$|^(?:cmakelists|robots|spelling_wordlist|constraints)\.txt$/i
const partialFolders = new Set(['partials', '_partials', '_includes'])
const license =
  /^(?:un)?(?:licen[cs]es?|copying)(?:[-_.](?:mit|apache|bsd|[al]?gpl|mpl|cc|isc|zlib|boost|bsl|unlicense|docs?|code|content|third)[\w.-]{0,60})?\.[a-z]+$|^third[-_ ]?party[-_ ]?(?:licen[cs]es?|notices?)\.[a-z]+$/i
/** `notice.md` and `copyright.md` may be pages. */
const notice = /^(?:NOTICE|COPYRIGHT|PATENTS)S?(?:[-_.][\w.-]{1,60})?\.[a-z]+$|^(?:notices?|copyright|patents)\.txt$/

/** Judges a file by its path. A folder or file that `folders` names is documentation. */
export function junkOf(path: string, isNamed: (path: string) => boolean): Junk | undefined {
  const paths = ancestors(path)
  const lastNamed = paths.findLastIndex(isNamed)
  let isInDocs = false
  for (const [depth, folder] of paths.slice(0, -1).entries()) {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    const reason = whyFolder(name, isInDocs)
    if (reason !== undefined && depth > lastNamed) return { path: `${folder}/`, reason }
    isInDocs ||= reason !== undefined || docsFolder.test(name)
  }
  const reason = whyFile(path)
  return reason !== undefined && paths.length - 1 > lastNamed ? { path, reason } : undefined
}

/** Tests and vendored code below a folder of documentation are subjects: `docs/testing/fixtures`, `pages/vendor`. */
function whyFolder(name: string, isInDocs: boolean): string | undefined {
  if (dotFolder.test(name)) return 'a folder of tools'
  if (alwaysPackages.test(name) || (packageFolder.test(name) && !isInDocs)) return 'packages of others'
  if (templateFolder.test(name)) return 'templates'
  return testFolder.test(name) && !isInDocs ? 'tests' : undefined
}

function whyFile(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (agentFile.test(name)) return 'instructions for agents that work on the repository'
  if (/^cran-comments\.md$/i.test(name)) return 'notes for a package archive'
  if (name === 'LANGS.md') return 'a list of languages'
  if (form.test(name)) return 'a form for issues or pull requests'
  if (license.test(name) || notice.test(name)) return 'a license'
  const folders = path.toLowerCase().split('/').slice(0, -1)
  if (/\.html?$/i.test(name) && folders.some((folder) => partialFolders.has(folder))) return 'a template'
  const isRequirement = /\.txt$/i.test(name) && folders.includes('requirements')
  return isRequirement || programText.test(name) ? 'a list for programs' : undefined
}
