import { runProgram } from '../../shared/cli/run-program.ts'
import { hostedProgram } from './hosted-program.ts'

process.umask(0o077)

await runProgram(hostedProgram)
