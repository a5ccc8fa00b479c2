import type { Command } from 'commander'
import { printRemark } from './install.ts'

/** Runs the commands of a program. Prints an error as one sentence on standard error, and sets a failing exit code. */
export async function runProgram(program: Command): Promise<void> {
  useRemarks(program)
  try {
    await program.parseAsync()
  } catch (error) {
    printRemark(oneLine(error instanceof Error ? error.message : String(error)))
    process.exitCode = 1
  }
}

/** Sets the output of subcommands, too: they do not inherit it. */
function useRemarks(command: Command): void {
  command.configureOutput({ outputError: (text) => printRemark(withAdvice(oneLine(text.replace(/^error: /, '')))) })
  for (const each of command.commands) useRemarks(each)
}

/** Some of commander's messages already contain advice. */
function withAdvice(message: string): string {
  if (/\(Did you mean |Allowed choices are /.test(message)) return message
  return `${message.replace(/\.$/, '')}; add --help for usage.`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
