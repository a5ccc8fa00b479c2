import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'
import { type PathUse, pathProblem } from '../system/path-problem.ts'

/** Encrypts secrets for the database. Opening a sealed text requires the same `context`. */
export type SecretBox = {
  seal(text: string, context: string): string
  /** Throws data_damaged if the key file is missing or has another key, or if the sealed text was altered. */
  open(sealed: string, context: string): string
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * A box with the key file `secrets.key` in the data directory. The file is created with the first sealed text and never changed. It is read at
 * each use, so that a restored file is used immediately.
 */
export function secretBox(dataDir: string): SecretBox {
  const path = join(dataDir, 'secrets.key')
  return {
    seal(text, context) {
      const key = readKey(path) ?? makeKey(path)
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, context) {
      const key = readKey(path)
      if (key === undefined) throw unreadable(`the key file ${path} is missing`)
      const bytes = Buffer.from(sealed, 'base64')
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes))
        const text = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]
        return Buffer.concat(text).toString('utf8')
      } catch (error) {
        throw unreadable(`it was not encrypted with the key file ${path}, or was altered since`, error)
      }
    },
  }
}

function makeKey(path: string): Buffer {
  try {
    createIfAbsent(path, randomBytes(keyBytes), 0o600)
  } catch (error) {
    throw new AppError(
      'data_damaged',
      `The key file ${path} cannot be written: ${why(dirname(path), { kind: 'folder', writes: true }, error)}`,
      { cause: error },
    )
  }
  return readKey(path) ?? makeKey(path)
}

function readKey(path: string): Buffer | undefined {
  let key: Buffer
  try {
    key = readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const message = `The key file ${path} cannot be read: ${why(path, { kind: 'file', writes: false }, error)}`
    throw new AppError('data_damaged', message, { cause: error })
  }
  if (key.length === keyBytes) return key
  throw new AppError(
    'data_damaged',
    `The key file ${path} has ${key.length} bytes instead of ${keyBytes}. Restore it, or remove it and save the secrets again.`,
  )
}

function why(path: string, use: PathUse, error: unknown): string {
  const problem = pathProblem(path, use)
  if (problem) return `${problem.reason}. ${problem.help}`
  return `${error instanceof Error ? error.message : String(error)}.`
}

const unreadable = (why: string, cause?: unknown) =>
  new AppError('data_damaged', `A stored secret cannot be read: ${why}. Restore the file or save the secret again.`, { cause })
