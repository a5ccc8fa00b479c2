import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { serverActor, sqliteAudit } from '../../../onprem/accounts/audit-log.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { runCarrelProcess, startCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

/** Each command is a process that opens an install. */
let dataDir: string
beforeEach(async () => {
  dataDir = tempDir()
  expect(await runCarrelProcess(['keys', 'create', '--name', 'laptop'], { dataDir })).toMatchObject({ code: 0 })
  const db = openDatabase(dataDir)
  // The entry is larger than the buffer of a pipe.
  sqliteAudit(db, () => new Date()).record({
    actor: serverActor('ada'),
    action: 'test',
    subject: randomBytes(2_000_000).toString('hex'),
  })
  db.close()
})

test('a backup into a folder that does not exist names the folder', async () => {
  const file = join(tempDir(), 'not-mounted', 'backup.tar.zst')
  const { code, err } = await runCarrelProcess(['backup', file], { dataDir })
  expect(code).toBe(1)
  expect(err).toContain(`carrel: The file ${file} cannot be created: its folder does not exist. No backup was written.\n`)
})

test('a backup whose reader closes the pipe early fails', async () => {
  const child = startCarrel(['backup', '-'], { dataDir })
  child.stdout.once('data', () => child.stdout.destroy())
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(code).toBe(1)
  expect(err).toContain('carrel: The backup on standard output is incomplete (EPIPE).\n')
  expect(readdirSync(join(dataDir, 'backup-work'))).toEqual([])
})

test.each([
  ['backup -', 'The backup on standard output is incomplete (ENOSPC).'],
  ['keys list', 'Standard output cannot be written: ENOSPC: no space left on device, write.'],
])('the command "%s" into a file on a full disk ends with one sentence', async (words, message) => {
  const command = `exec "$NODE" onprem/cli/main.ts ${words} > /dev/full`
  const { code, err } = await runCarrelProcess([command], { dataDir, node: 'sh', main: '-c', env: { NODE: process.execPath } })
  expect(code).toBe(1)
  expect(err.trim().split('\n').at(-1)).toBe(`carrel: ${message}`)
})
