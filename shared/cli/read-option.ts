import { closeSync, openSync, readSync } from 'node:fs'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { UsageError } from './usage-error.ts'

/** Reads the value of an option by a schema. Throws a usage error that names the option. */
export function readOption<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new UsageError(`${option} ${read.error.issues[0]?.message ?? 'is not valid'}.`)
}

const maxFileBytes = 64 * 1024

/** Reads the small file that an option or argument names. Throws a validation_error that names both. */
export function readFileOption(option: string, path: string): string {
  try {
    return readSmallFile(path)
  } catch (error) {
    throw new AppError('validation_error', `${option}: the file ${path} ${whyUnreadable(error)}.`, { cause: error })
  }
}

/** The reason why a file could not be read, as the end of a sentence. */
export function whyUnreadable(error: unknown): string {
  const code = codeOf(error)
  return readProblems.get(code) ?? `cannot be read (${code})`
}

/** Runs `write`, which writes to the folder of an option. Throws a validation_error that names both. */
export function writeFolderOption<T>(option: string, folder: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = writeProblems.get(codeOf(error)) ?? String(error)
    throw new AppError('validation_error', `${option}: ${folder} cannot be written: ${why}.`, { cause: error })
  }
}

/** Limits the bytes that are read, since a device may never end. */
function readSmallFile(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxFileBytes + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = readSync(file, bytes, size, bytes.length - size, null)
    if (size > maxFileBytes) throw Object.assign(new Error('the file is too large'), { code: 'EFBIG' })
    return bytes.toString('utf8', 0, size)
  } finally {
    closeSync(file)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown error')

const readProblems = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'cannot be read by this user'],
  ['EFBIG', `is larger than ${maxFileBytes} bytes`],
])

const writeProblems = new Map([
  ['ENOENT', 'the folder cannot be created there'],
  ['ENOTDIR', 'a file is in its way'],
  ['EACCES', 'this user has no write permission there'],
  ['EPERM', 'this user has no write permission there'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
])
