import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { isFullDisk } from '../../../shared/system/full-disk.ts'

function sqliteError(): unknown {
  const db = new DatabaseSync(':memory:')
  try {
    db.exec('PRAGMA max_page_count = 1; CREATE TABLE t (a); CREATE TABLE u (a)')
    return undefined
  } catch (error) {
    return error
  } finally {
    db.close()
  }
}

test.each([
  ['Node', Object.assign(new Error('write failed'), { code: 'ENOSPC' })],
  ['SQLite', sqliteError()],
  ['git', new Error('fatal: write error: No space left on device')],
  ['LanceDB', new Error('LanceError(IO): No space left on device (os error 28)')],
])('an error of %s that the disk has no room is recognized', (_, error) => {
  expect(error).toBeInstanceOf(Error)
  expect(isFullDisk(error)).toBe(true)
})

test.each([
  new Error('a file cannot be read'),
  new AppError('validation_error', 'No library is named "disk is full".'),
  'No space left on device',
])('any other error is not: %s', (error) => {
  expect(isFullDisk(error)).toBe(false)
})
