import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createUser } from '../fixtures/create-user.ts'
import { signIn } from '../fixtures/sign-in.ts'
import { testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

const opened = async () => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const ready = async () => (await install.call('GET', '/api/ready')).status
  await until(async () => (await ready()) === 200)
  return { install, ready }
}

test('a damaged sessions.key makes the server not ready, and health has the advice', async () => {
  const { install, ready } = await opened()
  writeFileSync(join(install.dataDir, 'sessions.key'), 'short')
  await until(async () => (await ready()) === 503)
  const { warnings } = (await install.call('GET', '/api/health')).body
  expect(warnings).toContainEqual(expect.stringMatching(/sessions\.key cannot be created or read\. Remove it/))
})

test('a sign-in with a damaged sessions.key fails with data_damaged, and only the log has the path', async () => {
  const { install } = await opened()
  writeFileSync(join(install.dataDir, 'sessions.key'), 'short')
  const body = JSON.stringify({ username: 'admin', password: 'admin' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${install.url}/api/auth/session/sign-in/username`, { method: 'POST', headers, body })
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: 'data_damaged', message: 'Files of the server are damaged. The log of the server names them.' },
  ])
  const logged = install.log.troubles.find(({ message }) => message === 'request failed')
  expect(logged?.fields.error).toMatchObject({ cause: { message: expect.stringContaining('sessions.key') } })
})

/** Zeroes the first page of a table or an index, and makes the server read its file again. */
function zero(dataDir: string, table: string, name = 'carrel.db'): void {
  const path = join(dataDir, name)
  const db = new DatabaseSync(path)
  const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.page_size)
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.rootpage)
  // A write of another connection empties the page cache of the server.
  db.exec('CREATE TABLE cache_breaker (a); DROP TABLE cache_breaker; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes)
  closeSync(file)
}

test('a damaged page of the database causes an error with a sentence, and makes the server not ready', async () => {
  const { install, ready } = await opened()
  zero(install.dataDir, 'audit')
  const answer = await install.call('GET', '/api/audit')
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'data_damaged', message: expect.stringContaining('run "carrel restore FILE"') },
  })
  await until(async () => (await ready()) === 503)
  expect((await install.call('GET', '/api/health')).body.warnings).toContainEqual(
    expect.stringContaining('run "carrel restore FILE"'),
  )
})

test.each(['versions', 'settings'])('health responds with a warning while the table %s is damaged', async (table) => {
  const { install, ready } = await opened()
  zero(install.dataDir, table)
  const anonymous = await fetch(`${install.url}/api/health`)
  expect(anonymous.status).toBe(200)
  expect(await anonymous.json()).toMatchObject({ warnings: ['Files of the server are damaged. Send a key to see which.'] })
  const { status, body } = await install.call('GET', '/api/health')
  expect(status).toBe(200)
  expect(body.warnings).toContainEqual(expect.stringContaining('run "carrel restore FILE"'))
  await until(async () => (await ready()) === 503)
})

test.each(['settings', 'sqlite_autoindex_settings_1'])(
  'clients that check whether a key is required get an error if %s is damaged',
  async (table) => {
    const { install, ready } = await opened()
    install.app.settings.change({ 'permissions.requireMcpAuth': true })
    zero(install.dataDir, table)
    const answer = await fetch(`${install.url}/api/auth/mcp`)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'data_damaged', message: expect.stringContaining('run "carrel restore FILE"') },
    ])
    await until(async () => (await ready()) === 503)
  },
)

// Counts and the look at an empty queue read an index, and never meet the table.
test.each(['users', 'jobs'])('an idle server with a damaged table %s is not ready, with the reason', async (table) => {
  const { install, ready } = await opened()
  zero(install.dataDir, table)
  await until(async () => (await ready()) === 503)
  expect((await install.call('GET', '/api/ready')).body).toEqual({
    ready: false,
    message: expect.stringContaining('run "carrel restore FILE"'),
  })
  expect(await (await fetch(`${install.url}/api/ready`)).json()).toEqual({
    ready: false,
    message: 'Files of the server are damaged. Send a key to see which.',
  })
  expect((await install.call('GET', '/api/health')).body.warnings).toContainEqual(
    expect.stringContaining('run "carrel restore FILE"'),
  )
})

test.each(['keys', 'sessions'])('callers of a server with a damaged table %s get advice', async (table) => {
  const { install } = await opened()
  const pair = { username: 'mia', password: 'correct horse battery' }
  await createUser(install, { ...pair, role: 'admin' })
  const cookie = await signIn(install, pair)
  zero(install.dataDir, table)
  const ask = async (path: string) => {
    if (table === 'keys') return install.call('GET', path)
    const answer = await fetch(install.url + path, { headers: { cookie } })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const unidentified =
    'Files of the server are damaged, and your key or session cannot be checked. The log of the server names the files.'
  expect(await ask('/api/health')).toMatchObject({ status: 200, body: { warnings: [unidentified] } })
  await until(async () => (await ask('/api/ready')).status === 503)
  expect((await ask('/api/ready')).body).toEqual({ ready: false, message: unidentified })
  expect(await ask('/api/projects')).toMatchObject({
    status: 503,
    body: { error: 'data_damaged', message: expect.stringContaining('run "carrel restore FILE"') },
  })
  // The specification lists no other failure of this operation.
  expect(await ask('/api/v2/libs/metrics?libraryId=/a/b')).toMatchObject({
    status: 500,
    body: { error: 'internal_error', message: expect.stringContaining('run "carrel restore FILE"') },
  })
  const logged = install.log.troubles.find(({ message }) => message === 'a caller could not be identified')
  expect(String(logged?.fields.error)).toContain('run "carrel restore FILE"')
  expect(logged?.fields.request).toBeTypeOf('string')
})

test('a schedule of backups that cannot be read is a failed backup and does not end the server', async () => {
  const { install } = await opened()
  zero(install.dataDir, 'sqlite_autoindex_settings_1')
  await install.app.backupStore.runIfDue()
  expect(install.app.backupStore.failed()).toMatchObject({ message: 'The log of the server has the details.' })
  expect(install.app.damage.messages()).toEqual([expect.stringContaining('carrel restore')])
})

test('a damaged index of the queue is detected by the worker, reported in health, and makes the server not ready', async () => {
  const { install, ready } = await opened()
  // The worker begins some time after the server is ready.
  await install.parse('no/repo')
  zero(install.dataDir, 'jobs_by_state')
  install.app.worker.wake()
  const warned = async () => {
    const { status, body } = await install.call('GET', '/api/health')
    expect(status).toBe(200)
    return String(body.warnings).includes('run "carrel restore FILE"')
  }
  await until(warned)
  await until(async () => (await ready()) === 503)
})

test('a cleanup that meets damaged vectors does not advise restoring carrel.db', async () => {
  const { install, ready } = await opened()
  await install.parse('no/repo')
  zero(install.dataDir, 'generations', 'vectors.db')
  await install.parse('no/repo')
  await until(() =>
    install.log.troubles.some(
      ({ message, fields }) => message === 'the sweep failed' && /vectors\.db/.test(String(fields.error)),
    ),
  )
  expect((await install.call('GET', '/api/health')).body.warnings).toEqual([])
  expect(await ready()).toBe(200)
})
