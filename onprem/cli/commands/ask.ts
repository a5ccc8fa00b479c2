import { type Command, Option } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { call } from '../api/connection.ts'
import { namedLibrary } from '../api/named-library.ts'
import { showCommands, shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AskOptions = {
  all?: boolean
  tokens?: string
  version?: string
  docsLanguage?: string
  also?: string[]
  uncovered?: 'hide'
  json?: boolean
}

export function askCommand(program: Command, run: RunCommand): void {
  program
    .command('ask')
    .description('print what a library says about a question, as agents get it')
    .usage('[options] <library> <question...>')
    .argument('[library]', 'its name, or an id such as /owner/repo or /owner/repo@version; omit it with --all')
    .argument('[question...]', 'in plain words')
    .option('--all', 'ask the libraries that fit the question best')
    .option('--tokens <n>', 'length of the answer, 500 to 50000; default 5000')
    .addOption(new Option('--version <version>', 'a version of the library').conflicts('all'))
    .option('--docs-language <code>', 'language of the documentation, such as de')
    .addOption(new Option('--also <library...>', 'up to four more libraries, which share the length').conflicts('all'))
    .addOption(
      new Option('--uncovered <hide>', 'hide: print no snippets if the documentation does not cover it').choices(['hide']),
    )
    .addOption(jsonOption())
    .action((first: string | undefined, others: string[], options: AskOptions) => {
      const asked = askedOf(first, others, options)
      return run('ask', (ports) => ask(ports, asked, options).catch((error: unknown) => Promise.reject(showCommands(error))))
    })
}

type Asked = { library?: string; question: string }

/** Throws a usage error if a word is missing. */
function askedOf(first: string | undefined, others: string[], { all = false }: AskOptions): Asked {
  const example = shownCommand('ask honojs/website "how do I read a cookie"')
  if (all && first !== undefined) return { question: [first, ...others].join(' ') }
  if (first === undefined || others.length === 0) throw new UsageError(`Name a library and ask a question (${example}).`)
  return { library: first, question: others.join(' ') }
}

const ask = (ports: CommandPorts, { library, question }: Asked, options: AskOptions): Promise<void> =>
  library === undefined ? askAll(ports, question, options) : askLibrary(ports, library, question, options)

async function askLibrary(ports: CommandPorts, library: string, question: string, options: AskOptions): Promise<void> {
  const { api } = ports
  const { version, also = [] } = options
  const ids = []
  for (const name of [library, ...also]) ids.push(printLibraryId(await namedLibrary(ports, name)))
  const asked = also.length === 0 ? { libraryId: ids[0] ?? '' } : { libraryIds: ids.join(',') }
  const query = { ...asked, ...paramsOf(question, options), ...(version === undefined ? {} : { version }) }
  await print(await call(api.v2.context.$get({ query })), options)
}

async function askAll({ api }: CommandPorts, question: string, options: AskOptions): Promise<void> {
  await print(await call(api.v2.search.$get({ query: paramsOf(question, options) })), options)
}

const paramsOf = (query: string, { tokens, docsLanguage, uncovered, json = false }: AskOptions) => ({
  query,
  type: json ? ('json' as const) : ('txt' as const),
  ...(tokens === undefined ? {} : { tokens }),
  ...(docsLanguage === undefined ? {} : { docsLanguage }),
  ...(uncovered === undefined ? {} : { uncovered }),
})

async function print(answer: Pick<Response, 'json' | 'text'>, { json = false }: AskOptions): Promise<void> {
  printAnswer(json ? JSON.stringify(await answer.json(), null, 2) : await answer.text())
}
