import { Command } from 'commander'
import { runProgram } from '../../shared/cli/run-program.ts'
import { fetchProgram, programFile } from '../../shared/clients/fetch-program.ts'
import { packageVersion } from '../../shared/system/package-version.ts'
import { clientDoctorCommand } from './commands/client-doctor.ts'
import { loginCommand } from './commands/login.ts'
import { setupCommand } from './commands/setup.ts'

/** The part of `carrel` that needs no install: every deployment serves it at `/cli.mjs`. */
const program = new Command('carrel')
  .description('Connects AI clients on this machine with a Carrel server.')
  .version(packageVersion(), '-v, --version', 'print the version')
  .usage('COMMAND [options]')
  .helpOption('-h, --help', 'print this help')

/** Node reads the program from standard input without an argument, or if it is `-`. */
const [, file = '-'] = process.argv
const shown = /^[\w./-]+$/.test(file) ? file : JSON.stringify(file)
setupCommand(program, (root) => (file === '-' ? `${fetchProgram(root)} && node ${programFile}` : `node ${shown}`))
loginCommand(program)
clientDoctorCommand(program)

void runProgram(() => program)
