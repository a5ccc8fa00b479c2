import { Command } from 'commander'
import { runProgram } from '../../shared/cli/run-program.ts'
import { openDataDir } from '../../shared/store/data-dir.ts'
import { hostedDataDir } from '../local/config.ts'
import { type AskAdmin, withAdmin } from './admin.ts'
import { addBundleCommand } from './bundle.ts'
import { addLibraryCommands } from './libraries.ts'
import { addReplayCommand } from './replay.ts'
import { addTeamspaceCommands } from './teamspaces.ts'

process.umask(0o077)

const admin: AskAdmin = (work) => withAdmin(() => openDataDir(hostedDataDir(process.env)), work)

const program = new Command('carrel hosted').description('Sets up the hosted half that DATA_DIR names, also while it runs.')
addTeamspaceCommands(program, admin)
addLibraryCommands(program, admin)
addBundleCommand(program, admin)
addReplayCommand(program, admin)
await runProgram(program)
