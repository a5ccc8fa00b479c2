import { type Command, Option } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { call } from '../api/connection.ts'
import { showCommands } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AskOptions = {
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
    .argument('<library>', 'for example /owner/repo or /owner/repo@version; "all" asks all libraries')
    .argument('<question...>', 'in plain words')
    .option('--tokens <n>', 'length of the answer, 500 to 50000; default 5000')
    .option('--version <version>', 'a version of the library')
    .option('--docs-language <code>', 'language of the documentation, such as de')
    .option('--also <library...>', 'up to four more libraries, which share the length')
    .addOption(
      new Option('--uncovered <hide>', 'hide: print no snippets if the documentation does not cover it').choices(['hide']),
    )
    .addOption(jsonOption())
    .action((library: string, words: string[], options: AskOptions) =>
      run('ask', (ports) => {
        const asked = (library === 'all' ? askAll : askLibrary)(ports, library, words.join(' '), options)
        return asked.catch((error: unknown) => Promise.reject(showCommands(error)))
      }),
    )
}

async function askLibrary({ api }: CommandPorts, library: string, question: string, options: AskOptions): Promise<void> {
  const { version, also = [] } = options
  const [libraryId = '', ...others] = [library, ...also].map((id) => printLibraryId(readLibraryId(id)))
  const ids = others.length === 0 ? { libraryId } : { libraryIds: [libraryId, ...others].join(',') }
  const query = { ...ids, ...paramsOf(question, options), ...(version === undefined ? {} : { version }) }
  await print(await call(api.v2.context.$get({ query })), options)
}

async function askAll({ api }: CommandPorts, _all: string, question: string, options: AskOptions): Promise<void> {
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
