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
    .option('--stale [days]', 'only libraries that were not read for so many days, by default 30')
    .addOption(jsonOption())
    .action((options: ListOptions) => run('list', (ports) => list(ports, options)))
}

type ListOptions = { json?: boolean; stale?: true | string }

type Library = {
  id: string
  versions: string[]
  totalSnippets: number
  state: string
  lastUpdateDate: string
  meaning?: { done: number; total: number } | undefined
  statusMessage?: string | undefined
}

const states: Record<string, { text: string; colour: Colour }> = {
  initial: { text: 'waiting', colour: 'yellow' },
  processing: { text: 'parsing', colour: 'yellow' },
  finalized: { text: 'ready', colour: 'green' },
  error: { text: 'failed', colour: 'red' },
}

const columns: Columns<Library> = {
  library: ({ id }) => id,
  versions: ({ versions }) => versions.join(', '),
  snippets: ({ totalSnippets }) => totalSnippets,
  state({ state, meaning }) {
    const { text, colour } = states[state] ?? { text: state, colour: 'dim' }
    return { text: [text, byMeaning(meaning)].filter((part) => part !== undefined).join(', '), colour }
  },
  updated: ({ lastUpdateDate }) => ({ time: lastUpdateDate }),
}

const pageSize = 200

const defaultStaleDays = 30
const Days = z.coerce.number().int().min(1).max(3650)
const dayMs = 24 * 60 * 60 * 1000

async function list(ports: CommandPorts, { json = false, stale }: ListOptions): Promise<void> {
  const days = stale === undefined || stale === true ? defaultStaleDays : readOption('--stale', Days, stale)
  const all = await allLibraries(ports)
  const libraries = stale === undefined ? all : await notReadSince(ports, all, Date.now() - days * dayMs)
  const add = `There are no libraries yet. Add one: ${shownCommand('add owner/repo')}`
  printList(columns, libraries, { json, none: all.length === 0 ? add : `All libraries were read in the last ${days} days.` })
  for (const { statusMessage } of libraries) if (!json && statusMessage !== undefined) ports.progress.remark(statusMessage)
}

/** The libraries that no job has read or imported since a time, in ms; also those that are unchanged since were read. */
async function notReadSince<L extends { id: string }>({ api }: CommandPorts, libraries: L[], time: number): Promise<L[]> {
  const read = new Set<string>()
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(pageSize), state: 'done', kind: 'parse,import' }
    const { jobs } = await (await call(api.jobs.$get({ query }))).json()
    // The newest are first.
    const recent = jobs.filter(({ createdAt, finishedAt }) => Date.parse(finishedAt ?? createdAt) >= time)
    for (const { project } of recent) read.add(project)
    if (recent.length < jobs.length || jobs.length < pageSize) break
  }
  return libraries.filter(({ id }) => !read.has(id))
}

/** All libraries of the install, page by page. */
export async function allLibraries({ api }: Pick<CommandPorts, 'api'>) {
  const libraries = []
  for (let page = 1; ; page++) {
    const query = { page: String(page), pageSize: String(pageSize) }
    const { projects, total } = await (await call(api.projects.$get({ query }))).json()
    libraries.push(...projects)
    if (projects.length === 0 || libraries.length >= total) return libraries
  }
}
