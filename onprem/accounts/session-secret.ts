import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { createOnce } from '../../shared/system/create-once.ts'

const secretBytes = 32

/** What session cookies are signed with: the file `sessions.key` of the data directory, made when it is first needed. Without it everybody signs in anew. */
export function sessionSecret(dataDir: string): string {
  const path = join(dataDir, 'sessions.key')
  try {
    createOnce(path, randomBytes(secretBytes), 0o600)
    const secret = readFileSync(path)
    if (secret.length === secretBytes) return secret.toString('base64')
  } catch (cause) {
    throw unreadable(path, cause)
  }
  throw unreadable(path)
}

const unreadable = (path: string, cause?: unknown) =>
  new AppError('internal_error', `The key file ${path} cannot be made or read; remove it, and everybody signs in anew.`, {
    cause,
  })
