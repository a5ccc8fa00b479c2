import type { Command } from 'commander'
import { z } from 'zod'
import type { Colour } from '../../../shared/cli/print.ts'
import { type Columns, jsonOption, printList } from '../../../shared/cli/print-list.ts'
import { readOption } from '../../../shared/cli/read-option.ts'
import { byMeaning } from '../../../shared/text/figures.ts'
import { call } from '../api/connection.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function listCommand(program: Command, run: RunCommand): void {
  program
    .command('list')
    .description('list the libraries')
    .option(
      '--stale [days]',
      'only libraries that were not compared with their source for so many days, by default refresh.staleDays',
    )
    .option('--tag <tag>', 'only libraries with this tag')
    .addOption(jsonOption())
    .action((options: ListOptions) => run('list', (ports) => list(ports, options)))
}

type ListOptions = { json?: boolean; stale?: true | string; tag?: string }

type Library = {
  id: string
  versions: string[]
  totalSnippets: number
  state: string
  lastUpdateDate: string
  lastCheckedAt?: string | undefined
  checkError?: string | undefined
  stale: boolean
  meaning?: { done: number; total: number } | undefined
  statusMessage?: string | undefined
}

const states: Record<string, { text: string; colour: Colour }> = {
  initial: { text: 'waiting', colour: 'yellow' },
  processing: { text: 'adding', colour: 'yellow' },
  finalized: { text: 'ready', colour: 'green' },
  error: { text: 'failed', colour: 'red' },
}

const columns: Columns<Library> = {
  library: ({ id }) => id,
  versions: ({ versions }) => versions.join(', '),
  snippets: ({ totalSnippets }) => totalSnippets,
  state({ state, meaning, stale }) {
    const { text, colour } = stale
      ? { text: 'stale', colour: 'yellow' as const }
      : (states[state] ?? { text: state, colour: 'dim' })
    return { text: [text, byMeaning(meaning)].filter((part) => part !== undefined).join(', '), colour }
  },
  updated: ({ lastUpdateDate }) => ({ time: lastUpdateDate }),
  checked: ({ lastCheckedAt }) => (lastCheckedAt === undefined ? '' : { time: lastCheckedAt }),
}

const pageSize = 200

const Days = z.coerce.number().int().min(1).max(3650)

async function list(ports: CommandPorts, { json = false, stale, tag }: ListOptions): Promise<void> {
  const days = typeof stale === 'string' ? readOption('--stale', Days, stale) : undefined
  const libraries = await allLibraries(ports, {
    ...(tag !== undefined && { tag }),
    ...(stale === true && { stale: 'true' as const }),
    ...(days !== undefined && { staleDays: String(days) }),
  })
  printList(columns, libraries, { json, none: noneListed(tag, stale) })
  if (json) return
  for (const { id, statusMessage, checkError } of libraries) {
    if (statusMessage !== undefined) ports.progress.remark(statusMessage)
    if (checkError !== undefined) ports.progress.remark(`${id}: ${checkError}`)
  }
}

function noneListed(tag: string | undefined, stale: ListOptions['stale']): string {
  if (tag !== undefined) return `No ${stale === undefined ? '' : 'stale '}library has the tag "${tag}".`
  if (stale === true) return 'No library is stale.'
  if (stale !== undefined) return `All libraries were compared with their sources in the last ${stale} days.`
  return `There are no libraries yet. Add one: ${shownCommand('add owner/repo')}`
}

/** The libraries of the install that match a filter, page by page. */
export async function allLibraries(
  { api }: Pick<CommandPorts, 'api'>,
  filter: { tag?: string; staleDays?: string; stale?: 'true' } = {},
) {
  const libraries = []
  for (let page = 1; ; page++) {
    const query = { ...filter, page: String(page), pageSize: String(pageSize) }
    const { projects, total } = await (await call(api.projects.$get({ query }))).json()
    libraries.push(...projects)
    if (projects.length === 0 || libraries.length >= total) return libraries
  }
}
