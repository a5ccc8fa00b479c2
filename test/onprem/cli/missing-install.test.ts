import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCarrel, runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const message = (dataDir: string): string =>
  `carrel: DATA_DIR ${dataDir} holds no install. Set DATA_DIR to the folder of an install, or create one there: "npm run -s carrel -- start" starts a server, "npm run -s carrel -- add owner/repo" adds a library.\n`

test.each([
  'list',
  'jobs',
  'search hono',
  'ask honojs/website cookie',
  'refresh honojs/website',
  'remove honojs/website',
  'settings list',
  'settings get github.baseUrl',
  'keys list',
  'keys revoke id',
  'users list',
  'users delete ada',
  'content list',
  'license show',
])('the command "%s" with a mistyped DATA_DIR does not create it, and explains how to create an install', async (words) => {
  const dataDir = join(tempDir(), 'mistyped')
  expect(await runCarrel(words.split(' '), { dataDir })).toEqual({ code: 1, out: '', err: message(dataDir) })
  expect(existsSync(dataDir)).toBe(false)
})

test.each(['list', 'keys list'])('the command "%s" creates no file in another folder', async (words) => {
  const dataDir = tempDir()
  expect(await runCarrelProcess(words.split(' '), { dataDir })).toEqual({ code: 1, out: '', err: message(dataDir) })
  expect(readdirSync(dataDir)).toEqual([])
})

test('license show creates no development pair', async () => {
  const dataDir = join(tempDir(), 'data')
  expect(await runCarrel(['settings', 'set', 'permissions.anonymousParse', 'true'], { dataDir })).toMatchObject({ code: 0 })
  const before = readdirSync(dataDir)
  expect(await runCarrel(['license', 'show'], { dataDir })).toMatchObject({
    code: 0,
    out: expect.stringContaining('development'),
  })
  expect(readdirSync(dataDir)).toEqual(before)
})
