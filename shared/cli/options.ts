import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { AppError } from '../errors.ts'

/** The value of an option by its schema. Throws a validation_error that names the option. */
export function readOption<T>(option: string, schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new AppError('validation_error', `${option} ${read.error.issues[0]?.message ?? 'is not valid'}.`)
}

/** The text of a file that an option or argument names. Throws a validation_error that names both. */
export function readFileOption(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    const why = readProblems.get(code) ?? `cannot be read (${code})`
    throw new AppError('validation_error', `${option}: the file ${path} ${why}.`, { cause: error })
  }
}

/** Runs what writes to the folder that an option names. Throws a validation_error that names both. */
export function writeFolderOption<T>(option: string, folder: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (error instanceof AppError) throw error
    const why = writeProblems.get(codeOf(error)) ?? String(error)
    throw new AppError('validation_error', `${option}: ${folder} cannot be written: ${why}.`, { cause: error })
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown error')

const readProblems = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'may not be read by this user'],
])

const writeProblems = new Map([
  ['ENOENT', 'the folder cannot be made there'],
  ['ENOTDIR', 'a file is in its way'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
])
