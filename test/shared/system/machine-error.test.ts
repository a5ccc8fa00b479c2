import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { handleErrors } from '../../../shared/http/handle-errors.ts'
import { asMachineError, pathAdvice } from '../../../shared/system/machine-error.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return error
  }
}

test.each<[string, (path: string) => unknown, string]>([
  ['a folder that is a file', (path) => readdirSync(path), 'is a file, but must be a folder'],
  ['a folder in which a file is in the way', (path) => writeFile(join(path, 'below'), ''), 'is a file, but must be a folder'],
  ['a folder that is to be made where a file is', (path) => mkdir(path), 'is a file, but must be a folder'],
])('the error about %s becomes a sentence with the command that helps', async (_, work, reason) => {
  const dataDir = tempDir()
  const path = join(dataDir, 'it')
  writeFileSync(path, '')
  const error = asMachineError(await errorOf(() => work(path)), dataDir)
  expect(error).toMatchObject({ code: 'data_damaged', message: `${path} ${reason}. Run: mv ${path} ${path}.old` })
})

test('a path that a shell would split is quoted in the command', async () => {
  const dataDir = tempDir()
  const path = join(dataDir, "it's a file")
  writeFileSync(path, '')
  const advice = pathAdvice(await errorOf(() => readdirSync(path)), dataDir)
  expect(advice).toContain(`Run: mv '${dataDir}/it'\\''s a file'`)
})

test('a link to itself is named', async () => {
  const path = join(tempDir(), 'loop')
  symlinkSync(path, path)
  expect(pathAdvice(await errorOf(() => readFileSync(path)))).toBe(`${path} is a link to itself.`)
})

test('no command is named for a path outside the data directory', async () => {
  const path = join(tempDir(), 'it')
  writeFileSync(path, '')
  expect(pathAdvice(await errorOf(() => readdirSync(path)), tempDir())).toBe(`${path} is a file, but must be a folder.`)
})

test.each([
  Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }),
  Object.assign(new Error('ENFILE: file table overflow'), { code: 'ENFILE' }),
  new Error('LanceError(IO): Too many open files (os error 24)'),
])('a process without a free file descriptor says so: %s', (error) => {
  expect(asMachineError(error)).toMatchObject({
    code: 'temporarily_unavailable',
    message: expect.stringMatching(/^The server has no free file descriptor\. Raise its limit of open files/),
  })
})

test('errors about files that exist or are missing are left to their callers', async () => {
  const folder = tempDir()
  mkdirSync(join(folder, 'sub'))
  const missing = await errorOf(() => readFileSync(join(folder, 'none')))
  const existing = await errorOf(() => mkdirSync(join(folder, 'sub')))
  for (const error of [missing, existing]) expect(asMachineError(error, folder)).toBe(error)
})

test('a response to a stranger does not show the path', async () => {
  const path = join(tempDir(), 'it')
  writeFileSync(path, '')
  const server = new Hono().get('/', () => {
    throw readdirSync(path)
  })
  handleErrors(server, { log: silentLog })
  const answer = await server.request('/')
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: 'data_damaged', message: expect.not.stringContaining(path) })
})

test('a start that failed for a path is no bug of a running server', () => {
  const cause = Object.assign(new Error(), { code: 'EACCES', path: '/x', syscall: 'open' })
  const error = asMachineError(new AppError('cannot_start', 'The folder /x cannot be used.', { cause }))
  expect(error).toMatchObject({ code: 'data_damaged', message: 'The folder /x cannot be used.' })
})
