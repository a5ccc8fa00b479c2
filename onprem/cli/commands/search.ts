import type { Command } from 'commander'
import { printRemark } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { matchGroups } from '../../../shared/search/libraries/match-groups.ts'
import { call } from '../api/connection.ts'
import { showCommands } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function searchCommand(program: Command, run: RunCommand): void {
  program
    .command('search')
    .description('find libraries by name')
    .argument('<name...>', 'for example hono')
    .addOption(jsonOption())
    .action((words: string[], options: { json?: boolean }) =>
      run('search', (ports) =>
        search(ports, words.join(' '), options).catch((error: unknown) => Promise.reject(showCommands(error))),
      ),
    )
}

type Library = { id: string; title: string; totalSnippets: number; description: string; exact?: false; sameOwner?: true }

const columns: Columns<Library> = {
  library: ({ id }) => id,
  title: ({ title }) => title,
  snippets: ({ totalSnippets }) => totalSnippets,
  description: ({ description }) => description,
}

async function search({ api }: CommandPorts, libraryName: string, { json = false }: { json?: boolean }): Promise<void> {
  const { results } = await (await call(api.v2.libs.search.$get({ query: { libraryName } }))).json()
  if (json) return printList(columns, results, { json })
  for (const { heading, libraries } of matchGroups<Library>(results)) {
    if (heading !== undefined) printRemark(heading)
    printList(columns, libraries)
  }
}
