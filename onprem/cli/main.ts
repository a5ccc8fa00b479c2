import '../../shared/system/require-node.cjs'
import { runProgram } from '../../shared/cli/run-program.ts'
import { carrelProgram } from './carrel-program.ts'

await runProgram(carrelProgram)
