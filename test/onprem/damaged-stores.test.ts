import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { testInstall, until } from '../fixtures/test-install.ts'

const opened = async () => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const ready = async () => (await install.call('GET', '/api/ready')).status
  await until(async () => (await ready()) === 200)
  return { install, ready }
}

test('a damaged sessions.key makes the server not ready, and health says what to do', async () => {
  const { install, ready } = await opened()
  writeFileSync(join(install.dataDir, 'sessions.key'), 'short')
  await until(async () => (await ready()) === 503, 5)
  const { warnings } = (await install.call('GET', '/api/health')).body
  expect(warnings).toContainEqual(expect.stringMatching(/sessions\.key cannot be made or read; remove it/))
})

test('a damaged page of the database is answered with a sentence, and makes the server not ready', async () => {
  const { install, ready } = await opened()
  const path = join(install.dataDir, 'carrel.db')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'audit'").get()?.rootpage)
  db.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4096), 0, 4096, (page - 1) * 4096)
  closeSync(file)
  const answer = await install.call('GET', '/api/audit')
  expect(answer).toMatchObject({
    status: 500,
    body: { error: 'internal_error', message: expect.stringContaining('restore carrel.db from a backup') },
  })
  await until(async () => (await ready()) === 503, 5)
  expect((await install.call('GET', '/api/health')).body.warnings).toContainEqual(expect.stringContaining('restore carrel.db'))
})
