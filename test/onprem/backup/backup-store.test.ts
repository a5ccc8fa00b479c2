import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readBackup } from '../../../onprem/backup/read-backup.ts'
import { downloadBackup } from '../../fixtures/backups.ts'
import { page } from '../../fixtures/page.ts'
import { scrape } from '../../fixtures/scrape.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

type List = {
  folder: string
  backups: { name: string; createdAt: string; sizeBytes: number }[]
  running: { name: string } | null
  failed: { at: string; message: string } | null
  next: string | null
}

let install: TestInstall
let clock = new Date('2026-03-02T12:00:00Z')
const now = () => clock
const later = (ms: number) => {
  clock = new Date(clock.getTime() + ms)
}
const hour = 3_600_000

beforeAll(async () => {
  install = await testInstall({ now })
  await install.git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns.') } })
  await install.parse('acme/lever')
})
afterAll(() => install.close())

const list = async (from = install) => (await from.call('GET', '/api/backups')).body as List
const isIdle = async (from = install) => (await list(from)).running === null
async function backUp(): Promise<string> {
  const { status, body } = await install.call('POST', '/api/backup')
  expect(status).toBe(202)
  await until(isIdle)
  return String(body.name)
}
const auditOf = async () =>
  ((await install.call('GET', '/api/audit?q=backup.')).body.entries as { actor: string; action: string; subject: string }[]).map(
    ({ actor, action, subject }) => `${actor} ${action} ${subject}`,
  )

test('an admin creates, lists, downloads and deletes a backup, and the audit log records it', async () => {
  const name = await backUp()
  expect(name).toBe('carrel-backup-2026-03-02T12-00-00-000Z.tar.zst')
  const { folder, backups, failed, next } = await list()
  expect([folder, failed, next]).toEqual([join(install.dataDir, 'backups'), null, null])
  expect(backups).toEqual([{ name, createdAt: '2026-03-02T12:00:00.000Z', sizeBytes: expect.any(Number) }])
  const answer = await install.ask(`/api/backups/${name}`, { key: install.keys.admin })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.headers.get('content-length')).toBe(String(bytes.length))
  const file = join(tempDir(), 'downloaded')
  writeFileSync(file, bytes)
  expect((await readBackup(file)).libraries).toEqual([expect.objectContaining({ library: '/acme/lever', complete: true })])
  expect((await install.call('DELETE', `/api/backups/${name}`)).status).toBe(200)
  expect((await install.call('GET', `/api/backups/${name}`)).status).toBe(404)
  expect((await install.call('DELETE', `/api/backups/${name}`)).status).toBe(404)
  expect(readdirSync(folder)).toEqual([])
  const said = ['delete', 'download', 'create'].map((action) => `key admin backup.${action} ${name}`)
  expect(await auditOf()).toEqual(said)
})

test.each([
  'carrel.db',
  '../carrel.db',
  '..%2fcarrel.db',
  '%2e%2e%2fcarrel.db',
  'carrel-backup-2026-99-02T12-00-00-000Z.tar.zst',
])('a file other than a backup can be neither downloaded nor deleted: %s', async (name) => {
  expect((await install.call('GET', `/api/backups/${name}`)).status).toBe(404)
  expect((await install.call('DELETE', `/api/backups/${name}`)).status).toBe(404)
  expect(existsSync(join(install.dataDir, 'carrel.db'))).toBe(true)
})

test('a backup with keys that an operator put into the folder cannot be downloaded with a key or session', async () => {
  const folder = join(install.dataDir, 'backups')
  mkdirSync(folder, { recursive: true })
  const name = 'carrel-backup-2026-01-01T00-00-00-000Z.tar.zst'
  await downloadBackup(install, join(folder, name), { keys: true })
  expect((await install.call('GET', `/api/backups/${name}`)).status).toBe(403)
  const local = await install.ask(`/api/backups/${name}`, { key: install.app.commandToken.token })
  expect(Buffer.from(await local.arrayBuffer())).toEqual(readFileSync(join(folder, name)))
  rmSync(join(folder, name))
})

test('a backup prints no warning of Node outside of the log', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const name = await backUp()
  expect((await install.call('DELETE', `/api/backups/${name}`)).status).toBe(200)
  expect(warnings).toEqual([])
})

test('the newest backups are kept, up to the number in the settings', async () => {
  await install.call('PATCH', '/api/settings', { 'backup.keep': 2 })
  const names: string[] = []
  for (let i = 0; i < 3; i++) {
    later(1_000)
    names.push(await backUp())
  }
  expect((await list()).backups.map(({ name }) => name)).toEqual([names[2], names[1]])
  await install.call('PATCH', '/api/settings', { 'backup.keep': 0 })
  later(1_000)
  await backUp()
  expect((await list()).backups).toHaveLength(3)
  await install.call('PATCH', '/api/settings', { 'backup.keep': null })
})

test('a backup that lacks content deletes no older one', async () => {
  const lossy = await testInstall({ now })
  onTestFinished(() => lossy.close())
  await lossy.git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns.') } })
  await lossy.parse('acme/lever')
  await lossy.call('PATCH', '/api/settings', { 'backup.keep': 1 })
  const made = async () => {
    later(1_000)
    await lossy.call('POST', '/api/backup')
    await until(() => isIdle(lossy))
    return (await list(lossy)).backups.length
  }
  expect([await made(), await made()]).toEqual([1, 1])
  rmSync(join(lossy.dataDir, 'snippets'), { recursive: true })
  expect([await made(), await made()]).toEqual([2, 3])
  expect(JSON.stringify(lossy.log.lines)).toContain('old backups are kept')
})

test('a backup with a date in the future neither stops the schedule nor counts instead of another', async () => {
  const folder = tempDir()
  const future = 'carrel-backup-2099-01-01T00-00-00-000Z.tar.zst'
  writeFileSync(join(folder, future), '')
  await install.call('PATCH', '/api/settings', { 'backup.folder': folder, 'backup.schedule': 'daily', 'backup.keep': 1 })
  await install.app.backupStore.runIfDue()
  await until(isIdle)
  expect((await list()).backups.map(({ name }) => name)).toEqual([future, expect.stringContaining('2026-03-02')])
  await install.call('PATCH', '/api/settings', { 'backup.folder': null, 'backup.schedule': null, 'backup.keep': null })
})

test('the schedule creates a backup when one is due, and only one for all missed ones', async () => {
  const before = (await list()).backups.length
  await install.call('PATCH', '/api/settings', { 'backup.schedule': 'daily' })
  expect((await list()).next).toBe('2026-03-03T03:00:00.000Z')
  await install.app.backupStore.runIfDue()
  expect(await isIdle()).toBe(true)
  expect((await list()).backups).toHaveLength(before)
  later(3 * 24 * hour)
  await install.app.backupStore.runIfDue()
  await until(isIdle)
  await install.app.backupStore.runIfDue()
  await until(isIdle)
  expect((await list()).backups).toHaveLength(before + 1)
  expect((await auditOf())[0]).toMatch(/^schedule backup\.create /)
  await install.call('PATCH', '/api/settings', { 'backup.schedule': null })
})

test('a schedule that was missed while no server ran is caught up after the start, and the files of a killed backup are deleted', async () => {
  const first = await testInstall()
  onTestFinished(() => first.close())
  await first.call('PATCH', '/api/settings', { 'backup.schedule': '0 0 * * *' })
  await first.stop()
  const folder = join(first.dataDir, 'backups')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'carrel-backup-2026-01-01T00-00-00-000Z.tar.zst.partial'), 'half')
  const again = await testInstall({ reopen: first })
  await until(async () => (await list(again)).backups.length === 1)
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^carrel-backup-.*\.zst$/)])
  await again.stop()
})

test('a failed backup is shown in the list, the log and the health for admins, and is tried again after an hour', async () => {
  const folder = join(tempDir(), 'mounted')
  await install.call('PATCH', '/api/settings', { 'backup.folder': folder, 'backup.schedule': '6-hourly' })
  rmdirSync(folder)
  later(24 * hour)
  await install.app.backupStore.runIfDue()
  const warnings = async () => (await install.call('GET', '/api/health')).body.warnings as string[]
  const figures = async () => {
    await install.app.monitor.sample()
    const { value } = await scrape(install)
    return ['newest_timestamp_seconds', 'overdue_seconds', 'failed'].map((name) => value(`carrel_backup_${name}`))
  }
  expect(await figures()).toEqual([0, 0, 1])
  expect(await warnings()).toContainEqual(
    expect.stringMatching(/^The last backup failed at .*: The folder of backup\.folder, .* is not a folder/),
  )
  const open = (await (await install.ask('/api/health')).json()) as { warnings: string[] }
  expect(open.warnings.join()).not.toContain('backup')
  expect(JSON.stringify(install.log.lines)).toContain('a backup failed')
  mkdirSync(folder)
  await install.app.backupStore.runIfDue()
  expect(readdirSync(folder)).toEqual([])
  later(hour)
  await install.app.backupStore.runIfDue()
  await until(isIdle)
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await warnings()).not.toContainEqual(expect.stringContaining('backup'))
  const newest = clock.getTime() / 1000
  expect(await figures()).toEqual([newest, 0, 0])
  later(8 * hour)
  const due = new Date(newest * 1_000).setUTCHours(18, 0, 0, 0)
  expect(await figures()).toEqual([newest, (clock.getTime() - due) / 1_000, 0])
  await install.call('PATCH', '/api/settings', { 'backup.folder': null, 'backup.schedule': null })
})

test('a backup that failed while the clock was ahead is tried again when the clock is right', async () => {
  const folder = join(tempDir(), 'mounted')
  await install.call('PATCH', '/api/settings', { 'backup.folder': folder, 'backup.schedule': 'daily' })
  rmdirSync(folder)
  const right = clock
  later(365 * 24 * hour)
  await install.app.backupStore.runIfDue()
  expect(install.app.backupStore.failed()?.at).toBe(clock.toISOString())
  clock = right
  mkdirSync(folder)
  await install.app.backupStore.runIfDue()
  await until(() => readdirSync(folder).length === 1)
  await until(isIdle)
  await install.call('PATCH', '/api/settings', { 'backup.folder': null, 'backup.schedule': null })
})

test('a running backup is cancelled by its deletion and leaves no files', async () => {
  later(1_000)
  const { body } = await install.call('POST', '/api/backup')
  const cancelled = await install.call('DELETE', `/api/backups/${body.name}`)
  expect(cancelled.status).toBeOneOf([200, 404])
  expect(await isIdle()).toBe(true)
  expect(readdirSync(join(install.dataDir, 'backups')).filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(readdirSync(join(install.dataDir, 'backup-work'))).toEqual([])
})

test.each([
  ['backup.schedule', 'hourly'],
  ['backup.schedule', '0 0 31 2 *'],
  ['backup.schedule', '* * * * * *'],
  ['backup.keep', -1],
  ['backup.keep', 1.5],
  ['backup.folder', 'backups'],
])('the setting %s rejects the value %s', async (name, value) => {
  expect((await install.call('PATCH', '/api/settings', { [name]: value })).status).toBe(400)
})

const setFolder = (folder: string | null) => install.call('PATCH', '/api/settings', { 'backup.folder': folder })

test('a folder for backups that cannot be used is rejected with the reason', async () => {
  const parent = tempDir()
  writeFileSync(join(parent, 'file'), '')
  for (const [folder, message] of [
    [join(install.dataDir, 'snippets'), 'is in DATA_DIR. Choose one outside'],
    [join(parent, 'file'), 'is not a folder. Create it, or mount its disk'],
    [join(parent, 'file', 'below'), 'cannot be used: a file is in its way'],
    ['/proc/backups', 'cannot be used: its parent folder does not exist and cannot be created'],
  ] as const)
    expect(await setFolder(folder)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', fields: [{ path: 'backup.folder', message }] },
    })
  expect(install.app.settings.get('backup.folder')).toBeUndefined()
})

test('a folder for backups is created when it is set', async () => {
  const folder = join(tempDir(), 'new', 'backups')
  expect((await setFolder(folder)).status).toBe(200)
  expect(readdirSync(folder)).toEqual([])
  await setFolder(null)
})

test('a folder of backups in DATA_DIR that a file has replaced is named with the command that moves it away', async () => {
  const folder = join(install.dataDir, 'backups')
  rmSync(folder, { recursive: true, force: true })
  writeFileSync(folder, '')
  expect((await install.call('GET', '/api/backups')).body).toMatchObject({
    error: 'data_damaged',
    message: `The folder ${folder} cannot be used: a file is in its way. Run: mv ${folder} ${folder}.old`,
  })
  rmSync(folder)
})

test('a missing folder for backups is an error with its own code, for the list and for a backup', async () => {
  const folder = join(tempDir(), 'mounted')
  await install.call('PATCH', '/api/settings', { 'backup.folder': folder })
  rmdirSync(folder)
  for (const [method, path] of [
    ['GET', '/api/backups'],
    ['POST', '/api/backup'],
  ] as const)
    expect(await install.call(method, path)).toMatchObject({
      status: 409,
      body: { error: 'not_configured', message: expect.stringContaining('is not a folder. Create it, or mount its disk.') },
    })
  await install.call('PATCH', '/api/settings', { 'backup.folder': null })
})
