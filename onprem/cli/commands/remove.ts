import type { Command } from 'commander'
import { printAnswer, printRemark } from '../../../shared/cli/print.ts'
import { printLibraryId } from '../../../shared/library.ts'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { confirm } from '../api/confirm.ts'
import { call, pathOf } from '../api/connection.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'

export function removeCommand(program: Command, run: RunCommand): void {
  program
    .command('remove')
    .description('delete a library, or one version of it')
    .argument('<library>', 'for example /owner/repo or /owner/repo@version')
    .option('-y, --yes', 'do not ask on a terminal')
    .action((library: string, options: { yes?: boolean }) => run('remove', (ports) => remove(ports, library, options)))
}

async function remove(ports: CommandPorts, library: string, { yes = false }: { yes?: boolean }): Promise<void> {
  const id = readLibraryId(library)
  const param = { id: pathOf(id) }
  // An unknown library is reported before the question.
  if (!yes && process.stdin.isTTY) {
    await call(ports.api.projects[':id{.+}'].$get({ param }))
    if (!(await confirm(`Delete ${printLibraryId(id)}? [y/N] `))) return printRemark('Nothing was deleted.')
  }
  const { message } = await (await call(ports.api.projects[':id{.+}'].$delete({ param }))).json()
  // A running server sweeps the deleted content later.
  await ports.runJobs?.([])
  printAnswer(message)
}
