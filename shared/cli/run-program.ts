import type { Command } from 'commander'
import { printRemark } from './install.ts'

/** Runs a program's commands; whatever goes wrong is one sentence on standard error and a failing exit. */
export async function runProgram(program: Command): Promise<void> {
  useRemarks(program)
  try {
    await program.parseAsync()
  } catch (error) {
    printRemark(oneLine(error instanceof Error ? error.message : String(error)))
    process.exitCode = 1
  }
}

/** Commands that were added before the output was set up have one of their own. */
function useRemarks(command: Command): void {
  command.configureOutput({ outputError: (text) => printRemark(withAdvice(oneLine(text.replace(/^error: /, '')))) })
  for (const each of command.commands) useRemarks(each)
}

/** Some of commander's messages already say what is right. */
function withAdvice(message: string): string {
  if (/\(Did you mean |Allowed choices are /.test(message)) return message
  return `${message.replace(/\.$/, '')}; add --help to see what is expected.`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
