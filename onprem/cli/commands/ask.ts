import type { Command } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { call } from '../api/connection.ts'
import { showCommands } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type AskOptions = { tokens?: string; json?: boolean }

export function askCommand(program: Command, run: RunCommand): void {
  program
    .command('ask')
    .description('print what a library says about a question, as agents get it')
    .argument('<library>', 'for example /owner/repo or /owner/repo@version')
    .argument('<question...>', 'in plain words')
    .option('--tokens <n>', 'length of the answer, 500 to 50000; default 5000')
    .addOption(jsonOption())
    .action((library: string, words: string[], options: AskOptions) =>
      run('ask', (ports) =>
        ask(ports, library, words.join(' '), options).catch((error: unknown) => Promise.reject(showCommands(error))),
      ),
    )
}

async function ask(
  { api }: CommandPorts,
  library: string,
  question: string,
  { tokens, json = false }: AskOptions,
): Promise<void> {
  const libraryId = printLibraryId(readLibraryId(library))
  const query = { libraryId, query: question, ...(tokens === undefined ? {} : { tokens }) }
  const answer = await call(api.v2.context.$get({ query: { ...query, type: json ? 'json' : 'txt' } }))
  printAnswer(json ? JSON.stringify(await answer.json(), null, 2) : await answer.text())
}
