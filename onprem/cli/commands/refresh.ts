import type { Command } from 'commander'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { call, pathOf } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { queueJob } from '../api/queue-job.ts'
import type { CommandPorts, RunCommand } from '../api/with-connection.ts'
import { printQueued } from './add.ts'

export function refreshCommand(program: Command, run: RunCommand): void {
  program
    .command('refresh')
    .description('read the repository of a library again')
    .argument('<library>', 'for example /owner/repo')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((library: string, options: { wait?: boolean }) => run('refresh', (ports) => refresh(ports, library, options)))
}

async function refresh(ports: CommandPorts, library: string, { wait = false }: { wait?: boolean }): Promise<void> {
  const id = pathOf(readLibraryId(library))
  const post = async () => (await call(ports.api.projects[':id{.+}'].refresh.$post({ param: { id } }))).json()
  if (ports.runJobs === undefined && !wait) return printQueued(await post())
  await followJobs(ports, async (signal) => [(await queueJob(ports, post, signal)).queueId])
}
