import { runProgram } from '../../shared/cli/run-program.ts'
import { licenseProgram } from './license-program.ts'

await runProgram(licenseProgram)
