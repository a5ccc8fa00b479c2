import { Command } from 'commander'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { hostedDataDir } from '../local/local-config.ts'
import { type UseAdmin, withAdmin } from './admin.ts'
import { bundleCommand } from './bundle-command.ts'
import { libraryCommands } from './library-commands.ts'
import { replayCommand } from './replay-command.ts'
import { teamspaceCommands } from './teamspace-commands.ts'

const admin: UseAdmin = (work) => withAdmin(() => openDataDir(hostedDataDir(process.env)), work)

export function hostedProgram(): Command {
  const program = new Command('carrel hosted').description('Manages the hosted half in DATA_DIR, also while it runs.')
  teamspaceCommands(program, admin)
  libraryCommands(program, admin)
  bundleCommand(program, admin)
  replayCommand(program, admin)
  return program
}
