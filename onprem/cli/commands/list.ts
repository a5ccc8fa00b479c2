import type { Command } from 'commander'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { byMeaning } from '../../../shared/text/figures.ts'
import { call } from '../api/connection.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function listCommand(program: Command, run: RunCommand): void {
  program
    .command('list')
    .description('list the libraries')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) => run('list', (ports) => list(ports, options)))
}

type Library = {
  id: string
  versions: string[]
  totalSnippets: number
  state: string
  lastUpdateDate: string
  meaning?: { done: number; total: number } | undefined
  statusMessage?: string | undefined
}

const states: Record<string, string> = { initial: 'waiting', processing: 'parsing', finalized: 'ready', error: 'failed' }

const columns: Columns<Library> = {
  library: ({ id }) => id,
  versions: ({ versions }) => versions.join(', '),
  snippets: ({ totalSnippets }) => totalSnippets,
  state: ({ state, meaning }) => [states[state] ?? state, byMeaning(meaning)].filter((each) => each !== undefined).join(', '),
  updated: ({ lastUpdateDate }) => lastUpdateDate,
}

const pageSize = 200

async function list({ api, progress }: CommandPorts, { json = false }: { json?: boolean }): Promise<void> {
  const libraries = []
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(pageSize) }
    const { projects, total } = await (await call(api.projects.$get({ query }))).json()
    libraries.push(...projects)
    if (projects.length === 0 || libraries.length >= total) break
  }
  printList(columns, libraries, { json, none: `There are no libraries yet. Add one: ${shownCommand('add owner/repo')}` })
  for (const { statusMessage } of libraries) if (!json && statusMessage !== undefined) progress.remark(statusMessage)
}
