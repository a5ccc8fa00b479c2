import type { Command } from 'commander'
import { printDone, printRemark } from '../../../shared/cli/print.ts'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { confirm } from '../api/confirm.ts'
import { call, pathOf } from '../api/connection.ts'
import { eachOf } from '../api/each-of.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function removeCommand(program: Command, run: RunCommand): void {
  program
    .command('remove')
    .description('delete libraries, or single versions of them')
    .argument('<library...>', 'for example /owner/repo or /owner/repo@version')
    .option('-y, --yes', 'do not ask; required where nobody can be asked')
    .action((libraries: string[], { yes = false }: { yes?: boolean }) => run('remove', (ports) => remove(ports, libraries, yes)))
}

async function remove(ports: CommandPorts, libraries: string[], yes: boolean): Promise<void> {
  const ids = libraries.map(readLibraryId)
  if (!yes && !(await isConfirmed(ports, ids))) return printRemark('Nothing was deleted.')
  await eachOf(ids, ports, async (id) => {
    const { message } = await (await call(ports.api.projects[':id{.+}'].$delete({ param: { id: pathOf(id) }, query: {} }))).json()
    printDone(message)
  })
  // A running server sweeps the deleted content later.
  await ports.runJobs?.([])
}

/** Asks once for all. An unknown library is reported before the question. Throws a usage error where nobody can be asked. */
async function isConfirmed({ api }: CommandPorts, ids: ReturnType<typeof readLibraryId>[]): Promise<boolean> {
  for (const id of ids) await call(api.projects[':id{.+}'].$get({ param: { id: pathOf(id) } }))
  if (!process.stdin.isTTY) throw new UsageError('remove asks before it deletes, and nobody can answer here. Give --yes.')
  return confirm(`Delete ${new Intl.ListFormat('en-GB').format(ids.map(printLibraryId))}? [y/N] `)
}
