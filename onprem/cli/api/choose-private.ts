import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { AppError } from '../../../shared/errors.ts'

const question = `Who can read private libraries?
  1  everyone who reaches this server
  2  only people and agents with a key
Choose 1 or 2: `

/** Asks who can read private libraries, and returns the setting. `reason` explains the question. Throws forbidden without a terminal. */
export async function choosePrivate(reason: string, command: string): Promise<{ 'permissions.hidePrivate': 'true' | 'false' }> {
  if (!process.stdin.isTTY) {
    throw new AppError(
      'forbidden',
      `${reason} First choose who can read private libraries: "${command} settings set permissions.hidePrivate false" for everyone who reaches this server, or true for only people and agents with a key. Nothing was changed.`,
    )
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = once(terminal, 'close').then(() => '')
  const answer = await Promise.race([terminal.question(`${reason} ${question}`), closed])
  terminal.close()
  if (answer.trim() === '1') return { 'permissions.hidePrivate': 'false' }
  if (answer.trim() === '2') return { 'permissions.hidePrivate': 'true' }
  throw new AppError('forbidden', 'Nobody has chosen 1 or 2. Nothing was changed.')
}
