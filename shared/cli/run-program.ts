import { type Command, CommanderError } from 'commander'
import { asMachineError } from '../system/machine-error.ts'
import { printRemark } from './print.ts'
import { UsageError } from './usage-error.ts'

const failed = 1
const wrongUsage = 2

/**
 * Runs the commands of a program, which `open` makes; without a command, prints its help. An error is one sentence on standard error and the exit code: 2 if the
 * command is wrong, 1 if it failed.
 */
export async function runProgram(open: () => Command, words = process.argv.slice(2)): Promise<void> {
  endOnFailedOutput()
  try {
    const program = open()
    prepare(program)
    if (words.length > 0) await program.parseAsync(words, { from: 'user' })
    else program.outputHelp()
  } catch (thrown) {
    const error = asMachineError(thrown)
    // Commander has printed the message of its own errors.
    if (!(error instanceof CommanderError)) printRemark(oneLine(error instanceof Error ? error.message : String(error)))
    process.exitCode = exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage
  return error instanceof UsageError ? wrongUsage : failed
}

/** Sets the output and the exit of subcommands, too: they do not inherit these. */
function prepare(command: Command): void {
  command.configureOutput({ outputError: (text) => printRemark(withAdvice(oneLine(text.replace(/^error: /, '')))) })
  command.exitOverride((error) => {
    // The end of a program that a command started; nothing could catch an error here.
    if (error.code === 'commander.executeSubCommandAsync') process.exitCode = error.exitCode
    else throw error
  })
  for (const each of command.commands) prepare(each.helpCommand(false))
}

/** Quietly for a closed pipe: a reader such as `head` may close it before the end. */
function endOnFailedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') process.exit()
      if (output === process.stdout) printRemark(`Standard output cannot be written: ${message}.`)
      process.exit(failed)
    })
  }
}

/** Some of commander's messages already contain advice. */
function withAdvice(message: string): string {
  if (/\(Did you mean |Allowed choices are /.test(message)) return message
  return `${message.replace(/\.$/, '')}; add --help for usage.`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
