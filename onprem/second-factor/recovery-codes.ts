import { createHash, randomInt } from 'node:crypto'

const codes = 10
const groups = 4
const groupLength = 4
/** 32 characters that nobody confuses: a code has 80 bits. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** New codes, such as `K7QX-2MPA-9RTD-WH4B`. */
export const newRecoveryCodes = (): string[] => Array.from({ length: codes }, newCode)

function newCode(): string {
  const group = () => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** An unsalted hash: nobody guesses 80 random bits. Case, hyphens and spaces are ignored. */
export const recoveryCodeHash = (userId: string, code: string): string =>
  createHash('sha256')
    .update(`recovery code of ${userId}\n${code.toUpperCase().replace(/[^A-Z0-9]/g, '')}`)
    .digest('hex')
