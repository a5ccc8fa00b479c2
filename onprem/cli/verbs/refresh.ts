import type { Command } from 'commander'
import { readLibraryId } from '../../../shared/schemas/read-library-id.ts'
import { call, pathOf } from '../api/connection.ts'
import { followJobs } from '../api/follow-jobs.ts'
import { queueJob } from '../api/queue-job.ts'
import type { RunVerb, Verb } from '../api/with-connection.ts'
import { printQueued } from './add.ts'

export function refreshVerb(program: Command, run: RunVerb): void {
  program
    .command('refresh')
    .description('read the repository of a library again')
    .argument('<library>', 'for example /owner/repo')
    .option('--wait', 'wait until a running server has finished; without a server, the command always waits')
    .action((library: string, options: { wait?: boolean }) => run('refresh', (verb) => refresh(verb, library, options)))
}

async function refresh(verb: Verb, library: string, { wait = false }: { wait?: boolean }): Promise<void> {
  const id = pathOf(readLibraryId(library))
  const post = async () => (await call(verb.api.projects[':id{.+}'].refresh.$post({ param: { id } }))).json()
  if (verb.runJobs === undefined && !wait) return printQueued(await post())
  await followJobs(verb, async (signal) => [(await queueJob(verb, post, signal)).queueId])
}
