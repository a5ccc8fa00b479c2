import type { Command } from 'commander'
import { remark } from './install.ts'

/** Runs a program's commands; whatever goes wrong is one sentence on standard error and a failing exit. */
export async function runProgram(program: Command): Promise<void> {
  speakOnce(program)
  try {
    await program.parseAsync()
  } catch (error) {
    remark(oneLine(error instanceof Error ? error.message : String(error)))
    process.exitCode = 1
  }
}

/** Commands that were added before the output was set up have one of their own. */
function speakOnce(command: Command): void {
  command.configureOutput({ outputError: (text) => remark(withAdvice(oneLine(text.replace(/^error: /, '')))) })
  for (const each of command.commands) speakOnce(each)
}

/** Some of commander's messages already say what is right. */
function withAdvice(message: string): string {
  if (/\(Did you mean |Allowed choices are /.test(message)) return message
  return `${message.replace(/\.$/, '')}; add --help to see what is expected.`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
