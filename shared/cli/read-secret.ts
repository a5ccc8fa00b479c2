import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AppError } from '../errors.ts'

/** Reads a secret: the whole standard input, or what is typed, without showing it, after `question` on a terminal. */
export async function readSecret(question: string): Promise<string> {
  if (process.stdin.isTTY) return ask(question)
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

/** Reads a new secret. On a terminal, it must be typed twice. */
export async function readNewSecret(question: string): Promise<string> {
  const secret = await readSecret(question)
  if (process.stdin.isTTY && (await readSecret('Repeat it: ')) !== secret)
    throw new AppError('validation_error', 'The two entries differ. Nothing was changed; try again.')
  return secret
}

function ask(question: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true })
  // Typed characters are hidden from here on.
  process.stderr.write(question)
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('close', () => reject(new AppError('validation_error', 'Nothing was entered. Nothing was changed.')))
    lines.once('SIGINT', () => {
      lines.close()
      process.stderr.write('\n')
      process.kill(process.pid, 'SIGINT')
    })
    lines.once('line', () => {
      process.stderr.write('\n')
      lines.close()
    })
  })
}
