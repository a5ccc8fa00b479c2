import { openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import { AppError } from '../../../shared/errors.ts'

/** Asks the person at the terminal. Both throw an AppError if nothing is entered. */
export type Terminal = {
  ask(question: string): Promise<string>
  /** Asks without showing what is typed. */
  askHidden(question: string): Promise<string>
}

/** The terminal of this process, also while its standard input is a pipe. `undefined` if there is none. */
export function openTerminal(): Terminal | undefined {
  const open = process.stdin.isTTY ? () => process.stdin : terminalFile()
  if (!open) return undefined
  return {
    ask: (question) => askLine(open(), question, process.stderr),
    askHidden: (question) => askLine(open(), question, new Writable({ write: (_chunk, _encoding, done) => done() })),
  }
}

/** `curl … | node - setup` has the program itself as its standard input. */
function terminalFile(): (() => ReadStream) | undefined {
  try {
    const file = openSync('/dev/tty', 'r')
    let stream: ReadStream | undefined
    return () => (stream ??= new ReadStream(file))
  } catch {
    return undefined
  }
}

function askLine(input: ReadStream, question: string, output: Writable): Promise<string> {
  const lines = createInterface({ input, output, terminal: true })
  process.stderr.write(question)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      lines.removeAllListeners()
      lines.close()
      input.unref()
      if (output !== process.stderr) process.stderr.write('\n')
      settle()
    }
    lines.once('line', (line) => end(() => (line.trim() === '' ? reject(nothing()) : resolve(line.trim()))))
    lines.once('close', () => end(() => reject(nothing())))
    lines.once('SIGINT', () => end(() => process.kill(process.pid, 'SIGINT')))
  })
}

const nothing = () => new AppError('validation_error', 'Nothing was entered. Nothing was changed.')
