import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'

/** Encrypts what must not lie readable in the database. `context` must be the same again to open what was sealed. */
export type SecretBox = {
  seal(text: string, context: string): string
  /** Throws internal_error where the key file is missing or another one, or what was sealed was altered. */
  open(sealed: string, context: string): string
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * A box that only the key file `secrets.key` in the data directory opens. The file is made when something is first
 * sealed and never written again; it is read at each use, so that a restored one counts at once.
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
        throw unreadable(`it was not sealed with the key file ${path}, or was altered since`, error)
      }
    },
  }
}

function makeKey(path: string): Buffer {
  try {
    createIfAbsent(path, randomBytes(keyBytes), 0o600)
  } catch (error) {
    throw new AppError('internal_error', `The key file ${path} cannot be written: ${messageOf(error)}.`, { cause: error })
  }
  return readKey(path) ?? makeKey(path)
}

function readKey(path: string): Buffer | undefined {
  let key: Buffer
  try {
    key = readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AppError('internal_error', `The key file ${path} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
  if (key.length === keyBytes) return key
  throw new AppError(
    'internal_error',
    `The key file ${path} holds ${key.length} bytes instead of ${keyBytes}; restore it, or remove it and save the secrets again.`,
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const unreadable = (why: string, cause?: unknown) =>
  new AppError('internal_error', `A stored secret cannot be read: ${why}; restore the file or save the secret again.`, { cause })
