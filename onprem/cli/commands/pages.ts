import type { Command } from 'commander'
import { printAnswer } from '../../../shared/cli/print.ts'
import { jsonOption } from '../../../shared/cli/print-list.ts'
import { call } from '../api/connection.ts'
import { namedLibrary } from '../api/named-library.ts'
import { showCommands } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

type PagesOptions = { version?: string; json?: boolean }
type ReadOptions = PagesOptions & { section?: string; tokens?: string; cursor?: string }

const shown = (work: Promise<void>): Promise<void> => work.catch((error: unknown) => Promise.reject(showCommands(error)))

export function pagesCommand(program: Command, run: RunCommand): void {
  program
    .command('pages')
    .description('list the pages of a library, or of one of its folders, with their lengths in tokens')
    .argument('<library>', 'its name, or an id such as /owner/repo or /owner/repo@version')
    .argument('[folder]', 'only the pages below it')
    .option('--version <version>', 'a version of the library')
    .addOption(jsonOption())
    .action((library: string, folder: string | undefined, options: PagesOptions) =>
      run('pages', (ports) => shown(listPages(ports, library, folder, options))),
    )
}

export function readCommand(program: Command, run: RunCommand): void {
  program
    .command('read')
    .description('print a page of a library, or one of its sections')
    .argument('<library>', 'its name, or an id such as /owner/repo or /owner/repo@version')
    .argument('<path>', 'path of the page, from "carrel pages"')
    .argument('[section]', 'a heading of the page')
    .option('--tokens <n>', 'length of the answer, 1000 to 50000; default 5000')
    .option('--cursor <cursor>', 'continues after the part that was printed before')
    .option('--version <version>', 'a version of the library')
    .addOption(jsonOption())
    .action((library: string, path: string, section: string | undefined, options: ReadOptions) =>
      run('read', (ports) =>
        shown(readPage(ports, { library, path }, { ...options, ...(section !== undefined && { section }) })),
      ),
    )
}

async function listPages(ports: CommandPorts, library: string, folder: string | undefined, options: PagesOptions): Promise<void> {
  const { param, query } = await asked(ports, library, options)
  const pages = ports.api.v2.libs[':owner'][':repo'].pages
  const answer = await call(pages.$get({ param, query: { ...query, ...(folder === undefined ? {} : { folder }) } }))
  printAnswer(options.json ? JSON.stringify(await answer.json(), null, 2) : await answer.text())
}

async function readPage(ports: CommandPorts, page: { library: string; path: string }, options: ReadOptions): Promise<void> {
  const { json, version: _, ...reading } = options
  const { param, query } = await asked(ports, page.library, options)
  const pages = ports.api.v2.libs[':owner'][':repo'].pages
  const answer = await call(pages[':path{.+}'].$get({ param: { ...param, path: page.path }, query: { ...query, ...reading } }))
  printAnswer(json ? JSON.stringify(await answer.json(), null, 2) : await answer.text())
}

async function asked(ports: CommandPorts, library: string, { version: wanted, json = false }: PagesOptions) {
  const { owner, repo, version = wanted } = await namedLibrary(ports, library)
  const type = json ? ('json' as const) : ('txt' as const)
  return { param: { owner, repo }, query: { type, ...(version === undefined ? {} : { version }) } }
}
