import { Command } from 'commander'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { readCommandEnvironment } from '../local/local-config.ts'
import { type UseAdmin, withAdmin } from './api/admin.ts'
import { auditCommand } from './commands/audit.ts'
import { bundleCommand } from './commands/bundle.ts'
import { eraseCommands } from './commands/erase.ts'
import { keyCommands } from './commands/key.ts'
import { libraryCommands } from './commands/library.ts'
import { licenseCommand } from './commands/license.ts'
import { recoverCommand } from './commands/recover.ts'
import { replayCommand } from './commands/replay.ts'
import { smokeCommand } from './commands/smoke.ts'
import { takedownCommands } from './commands/takedown.ts'
import { teamspaceCommands } from './commands/teamspace.ts'

const admin: UseAdmin = (work) => withAdmin(() => openDataDir(readCommandEnvironment(process.env).DATA_DIR), work)

export function hostedProgram(): Command {
  const program = new Command('carrel hosted').description('Manages the hosted half in DATA_DIR, also while it runs.')
  teamspaceCommands(program, admin)
  keyCommands(program, admin)
  licenseCommand(program, admin)
  libraryCommands(program, admin)
  bundleCommand(program, admin)
  replayCommand(program, admin)
  smokeCommand(program)
  takedownCommands(program, admin)
  auditCommand(program, admin)
  eraseCommands(program, admin)
  recoverCommand(program, admin)
  return program
}
