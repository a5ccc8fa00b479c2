import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { createIfAbsent } from '../../shared/system/create-if-absent.ts'
import { fullDisk, isFullDisk } from '../../shared/system/full-disk.ts'
import { pathAdvice } from '../../shared/system/machine-error.ts'

const secretBytes = 32

/** The key that signs session cookies: the file `sessions.key` in the data directory, created when it is first needed. If it is lost, all users sign in again. */
export function sessionSecret(dataDir: string): string {
  const path = fileIn(dataDir)
  try {
    createIfAbsent(path, randomBytes(secretBytes), 0o600)
    const secret = readFileSync(path)
    if (secret.length === secretBytes) return secret.toString('base64')
  } catch (cause) {
    if (isFullDisk(cause)) throw fullDisk('The key file of the sessions cannot be created; make room and try again.', cause)
    throw unreadable(path, cause)
  }
  throw unreadable(path)
}

/** Throws if the key file exists and cannot be used. */
export function checkSessionSecret(dataDir: string): void {
  if (existsSync(fileIn(dataDir))) sessionSecret(dataDir)
}

const fileIn = (dataDir: string): string => join(dataDir, 'sessions.key')

const unreadable = (path: string, cause?: unknown) => {
  const advice = pathAdvice(cause, dirname(path)) ?? 'Remove it; all users then sign in again.'
  return new AppError('data_damaged', `The key file ${path} cannot be created or read. ${advice}`, { cause })
}
