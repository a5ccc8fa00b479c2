import type { Command } from 'commander'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, parseLibraryId } from '../../../shared/library.ts'
import { call, pathOf } from '../api/connection.ts'
import { eachOf } from '../api/each-of.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { namedLibrary } from '../api/named-library.ts'
import { queueJob } from '../api/queue-job.ts'
import { showCommands, shownCommand } from '../api/show-commands.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'
import { printQueued } from './add.ts'
import { allLibraries } from './list.ts'

type RefreshOptions = { all?: boolean; wait?: boolean }

export function refreshCommand(program: Command, run: RunCommand): void {
  program
    .command('refresh')
    .description('refresh libraries from their repositories')
    .argument('[library...]', 'their names, or ids such as /owner/repo')
    .option('--all', 'all libraries that were not imported')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((libraries: string[], options: RefreshOptions) => {
      if (libraries.length > 0 === (options.all ?? false)) throw new UsageError('Name libraries, or give --all.')
      return run('refresh', (ports) =>
        refresh(ports, libraries, options).catch((error: unknown) => Promise.reject(showCommands(error))),
      )
    })
}

async function refresh(ports: CommandPorts, names: string[], { all = false, wait = false }: RefreshOptions): Promise<void> {
  const ids = all ? await refreshable(ports) : await namedLibraries(ports, names)
  const post = async (id: LibraryId) =>
    (await call(ports.api.projects[':id{.+}'].refresh.$post({ param: { id: pathOf(id) } }))).json()
  if (ports.runJobs === undefined && !wait) {
    await eachOf(ids, ports, async (id) => printQueued(await post(id)))
    return
  }
  await followJobs(ports, (signal) => eachOf(ids, ports, async (id) => (await queueJob(ports, () => post(id), signal)).queueId))
}

async function namedLibraries(ports: CommandPorts, names: readonly string[]): Promise<LibraryId[]> {
  const ids = []
  for (const name of names) ids.push(await namedLibrary(ports, name))
  return ids
}

/** Imported libraries have no repository, and those with an unfinished job are read anyway. */
async function refreshable(ports: CommandPorts): Promise<LibraryId[]> {
  const busy = new Set(Object.keys((await (await call(ports.api['parse-status'].$get())).json()).activeParses))
  const ids = (await allLibraries(ports))
    .filter(({ id, imported }) => !imported && !busy.has(id))
    .map(({ id }) => parseLibraryId(id))
  if (ids.length > 0) return ids
  throw new AppError('library_not_found', `There is no library to refresh. Add one: ${shownCommand('add owner/repo')}`)
}
