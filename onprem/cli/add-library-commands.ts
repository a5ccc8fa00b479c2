import type { Command } from 'commander'
import type { Install } from '../../shared/cli/install.ts'
import { type RunVerb, withConnection } from './api/with-connection.ts'
import { addVerb } from './verbs/add.ts'
import { askVerb } from './verbs/ask.ts'
import { importVerb } from './verbs/import.ts'
import { jobsVerb } from './verbs/jobs.ts'
import { listVerb } from './verbs/list.ts'
import { refreshVerb } from './verbs/refresh.ts'
import { removeVerb } from './verbs/remove.ts'
import { searchVerb } from './verbs/search.ts'

/** The commands in the order of the help. Only those in `creating` may create an install. */
const verbs = [addVerb, listVerb, searchVerb, askVerb, refreshVerb, removeVerb, jobsVerb, importVerb]
const creating = [addVerb, importVerb]

/** Adds the commands that use the API: with a running server, or with the same server in this process. */
export function addLibraryCommands(program: Command, install: Install): void {
  const run = withConnection(install)
  const runExisting: RunVerb = async (name, work) => {
    install.requireInstall?.()
    await run(name, work)
  }
  for (const verb of verbs) verb(program, creating.includes(verb) ? run : runExisting)
}
