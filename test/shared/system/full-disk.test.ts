import { DatabaseSync } from 'node:sqlite'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { handleErrors } from '../../../shared/http/handle-errors.ts'
import { toHttp } from '../../../shared/http/to-http.ts'
import { asFullDisk, isFullDisk } from '../../../shared/system/full-disk.ts'
import { silentLog } from '../../fixtures/silent-log.ts'

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
  ['a quota', Object.assign(new Error('write failed'), { code: 'EDQUOT' })],
  ['SQLite that cannot extend its shared memory', Object.assign(new Error('disk I/O error'), { errcode: 4874 })],
  ['SQLite that cannot write', Object.assign(new Error('disk I/O error'), { errcode: 778 })],
  ['git', new Error('fatal: write error: No space left on device')],
  ['LanceDB', new Error('LanceError(IO): No space left on device (os error 28)')],
])('an error of %s about a full disk is recognized', (_, error) => {
  expect(error).toBeInstanceOf(Error)
  expect(isFullDisk(error)).toBe(true)
})

test.each([
  new Error('a file cannot be read'),
  Object.assign(new Error('disk I/O error'), { errcode: 266 }),
  new AppError('validation_error', 'No library is named "disk is full".'),
  'No space left on device',
])('another error is not taken for a full disk: %s', (error) => {
  expect(isFullDisk(error)).toBe(false)
})

test('an error that a full disk caused keeps its sentence and gets the code disk_full', () => {
  const cause = Object.assign(new Error('write failed'), { code: 'ENOSPC' })
  const error = asFullDisk(new AppError('cannot_start', 'The file cannot be written.', { cause }))
  expect(toHttp(error)).toMatchObject({ status: 507, body: { error: 'disk_full', message: 'The file cannot be written.' } })
})

test('both halves respond to a full disk with 507 and what to do', async () => {
  const server = new Hono()
  handleErrors(server, { log: silentLog })
  server.get('/full', () => {
    throw sqliteError()
  })
  const answer = await server.request('/full')
  expect([answer.status, await answer.json()]).toEqual([
    507,
    { error: 'disk_full', message: 'The disk of DATA_DIR is full. Nothing was changed; make room and try again.' },
  ])
})
