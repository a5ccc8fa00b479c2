import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { downloadBackup, restoreInto, tarOf } from '../../fixtures/backups.ts'
import { finishAfter } from '../../fixtures/finish-after.ts'
import { snippetsOf } from '../../fixtures/imports.ts'
import { page } from '../../fixtures/page.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tablesIn } from '../../fixtures/tables-in.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'
import { widgetsInstall } from '../../fixtures/widgets-install.ts'

const token = 'ghp_a-token-that-nobody-may-find'
const question = 'how do I paint a widget'

let install: TestInstall
beforeAll(async () => {
  install = await widgetsInstall()
  install.app.settings.change({ 'github.token': token })
})
afterAll(() => install.close())

/** Starts an install on a restored data directory. */
async function startOn(dataDir: string): Promise<TestInstall> {
  const started = await testInstall({ reopen: { ...install, dataDir, licenseKey: '' } })
  onTestFinished(() => started.stop())
  return started
}
const answersOf = async ({ context }: Pick<TestInstall, 'context'>) =>
  Promise.all(['/acme/widgets', '/acme/widgets/v1.0.0', '/acme/widgets/release~2.x'].map((id) => context(id, question)))

/** The salts of an install that has counted a user. */
async function saltsOf({ context, dataDir }: TestInstall): Promise<Buffer[]> {
  await context('/acme/widgets', question)
  const db = new DatabaseSync(join(dataDir, 'salts.db'))
  await until(() => db.prepare('SELECT count(*) AS salts FROM salt').get()?.salts !== 0)
  const salts = db
    .prepare('SELECT salt FROM salt')
    .all()
    .map(({ salt }) => Buffer.from(salt as Uint8Array))
  db.close()
  return salts
}

test('a backup that is restored into an empty folder returns the same answers', async () => {
  const path = await downloadBackup(install, join(tempDir(), 'backup'))
  const dataDir = join(tempDir(), 'data')
  const { header, lostSecrets, aside } = await restoreInto(dataDir, path)
  expect(header).toMatchObject({ withKeys: false, secrets: ['github.token'], version: install.app.version })
  expect(header.libraries.map(({ version, complete }) => [version, complete])).toEqual(
    ['', 'release~2.x', 'v1.0.0'].map((version) => [version, true]),
  )
  expect(lostSecrets).toEqual(['github.token'])
  expect(existsSync(aside)).toBe(false)
  const restored = await startOn(dataDir)
  expect(await answersOf(restored)).toEqual(await answersOf(install))
  expect((await restored.call('GET', '/api/health')).body.warnings).not.toContainEqual(expect.stringMatching(/newer|damaged/))
})

test('an archive contains no secret, key file or salt, and with keys it contains the key files, but never the salts', async () => {
  await signIn(install, { username: 'admin', password: 'admin' })
  const salts = await saltsOf(install)
  expect(salts.length).toBeGreaterThan(0)
  const keyFiles = ['secrets.key', 'sessions.key', 'dev-license.pem']
  const keys = keyFiles.map((name) => readFileSync(join(install.dataDir, name)))
  const [without, withKeys] = await Promise.all([tempDir(), tempDir()].map((folder) => join(folder, 'backup')))
    .then(
      async ([a = '', b = '']) => [await downloadBackup(install, a), await downloadBackup(install, b, { keys: true })] as const,
    )
    .then((paths) => paths.map(tarOf) as [Buffer, Buffer])
  expect(without.includes(token)).toBe(false)
  expect(withKeys.includes(token)).toBe(false)
  for (const key of keys) expect([without.includes(key), withKeys.includes(key)]).toEqual([false, true])
  for (const salt of salts) expect([without.includes(salt), withKeys.includes(salt)]).toEqual([false, false])
})

test('stored secrets can be read after a restore with keys, or on the machine that has the key', async () => {
  const withKeys = await downloadBackup(install, join(tempDir(), 'backup'), { keys: true })
  const elsewhere = join(tempDir(), 'data')
  expect((await restoreInto(elsewhere, withKeys)).lostSecrets).toEqual([])
  expect((await startOn(elsewhere)).app.settings.getSecret('github.token')).toBe(token)

  const without = await downloadBackup(install, join(tempDir(), 'backup'))
  const same = join(tempDir(), 'data')
  await restoreInto(same, withKeys)
  expect((await restoreInto(same, without)).lostSecrets).toEqual([])
  expect((await startOn(same)).app.settings.getSecret('github.token')).toBe(token)
})

test('a restore moves the old content aside, and keeps models, salts and development keys', async () => {
  const path = await downloadBackup(install, join(tempDir(), 'backup'))
  const other = await testInstall()
  await other.git.create('acme/other', { files: { 'README.md': page('Other', 'Another lever turns.') } })
  await other.parse('acme/other')
  await other.context('/acme/other', 'lever')
  await other.stop()
  onTestFinished(() => other.close())
  const developmentKey = readFileSync(join(other.dataDir, 'dev-license.pem'), 'utf8')
  const { aside } = await restoreInto(other.dataDir, path)
  expect(readdirSync(aside)).toEqual(expect.arrayContaining(['carrel.db', 'vectors.db', 'snippets', 'imports']))
  expect(readdirSync(aside)).not.toContain('salts.db')
  expect(readFileSync(join(other.dataDir, 'dev-license.pem'), 'utf8')).toBe(developmentKey)
  const restored = await startOn(other.dataDir)
  expect(await answersOf(restored)).toEqual(await answersOf(install))
  expect(await restored.context('/acme/other', 'lever')).toContain('library_not_found')
})

test('a restore into a folder of foreign files keeps them, and moves those whose names it needs aside', async () => {
  const path = await downloadBackup(install, join(tempDir(), 'backup'))
  const dataDir = tempDir()
  const kept = ['notes.txt', 'photos/one.jpg', 'models/mine', '.hidden']
  const moved = ['imports/list.csv', 'snippets', 'vectors.db']
  for (const name of [...kept, ...moved]) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true })
    writeFileSync(join(dataDir, name), `foreign ${name}`)
  }
  symlinkSync('notes.txt', join(dataDir, 'link'))
  const { aside } = await restoreInto(dataDir, path)
  const textsIn = (folder: string, names: string[]) => names.map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(textsIn(dataDir, kept)).toEqual(kept.map((name) => `foreign ${name}`))
  expect(readlinkSync(join(dataDir, 'link'))).toBe('notes.txt')
  expect(textsIn(aside, moved)).toEqual(moved.map((name) => `foreign ${name}`))
  expect(await answersOf(await startOn(dataDir))).toEqual(await answersOf(install))
  expect(textsIn(dataDir, kept)).toEqual(kept.map((name) => `foreign ${name}`))
})

test('a download whose reader pauses for too long ends, so that the next backup can begin', async () => {
  const busy = await testInstall({ limits: { maxBackupPauseMs: 300 } })
  onTestFinished(() => busy.close())
  const { bytes } = await busy.app.backups.open(false, new AbortController().signal)
  const failed = once(bytes, 'close').catch((error: Error) => error)
  expect(busy.app.backups.isRunning()).toBe(true)
  await expect.poll(() => busy.app.backups.isRunning()).toBe(false)
  expect(await failed).toEqual(new Error('The reader of a backup took nothing for 0.3 s.'))
  await expect.poll(() => readdirSync(join(busy.dataDir, 'backup-work'))).toEqual([])
  const path = await downloadBackup(busy, join(tempDir(), 'backup'))
  expect(existsSync(path)).toBe(true)
})

test('a backup that nobody reads is logged after its time limit, and the process continues', async () => {
  const busy = await testInstall({ limits: { maxBackupPauseMs: 300 } })
  onTestFinished(() => busy.close())
  await busy.app.backups.open(false, new AbortController().signal)
  await expect.poll(() => busy.app.backups.isRunning()).toBe(false)
  await expect
    .poll(() => busy.log.troubles.map(({ message, fields }) => [message, String(fields.error)]))
    .toEqual([['a backup failed', 'Error: The reader of a backup took nothing for 0.3 s.']])
})

test('the archive can be checked with sha256sum', async () => {
  const tar = tarOf(await downloadBackup(install, join(tempDir(), 'backup')))
  const sums =
    tar
      .subarray(tar.indexOf('sha256sums\0') + 512)
      .toString('latin1')
      .split('\0')[0]
      ?.trim()
      .split('\n') ?? []
  const database = tar.subarray(tar.indexOf('carrel.db\0'))
  const size = Number.parseInt(database.subarray(124, 135).toString(), 8)
  const sum = createHash('sha256')
    .update(database.subarray(512, 512 + size))
    .digest('hex')
  expect(sums).toContain(`${sum}  carrel.db`)
})

test('content that is replaced or deleted during a backup stays until it is copied', async () => {
  const busy = await testInstall({ limits: { retiredMs: 0 } })
  onTestFinished(() => busy.close())
  for (const repo of ['acme/replaced', 'acme/deleted'])
    await busy.git.create(repo, { files: { 'README.md': page('Lever', `The lever of ${repo} turns.`) } })
  for (const repo of ['acme/replaced', 'acme/deleted']) await busy.parse(repo)
  const before = await busy.tables()
  const ids = ['/acme/replaced', '/acme/deleted']
  const answers = await Promise.all(ids.map((id) => busy.context(id, 'lever')))

  const { bytes } = await busy.app.backups.open(false, new AbortController().signal)
  await busy.git.commit('acme/replaced', { files: { 'README.md': page('Pulley', 'The pulley turns.') } })
  expect((await busy.parse('acme/replaced')).state).toBe('done')
  expect((await busy.call('DELETE', '/api/projects/acme/deleted')).status).toBe(200)
  expect(await busy.context('/acme/deleted', 'lever')).toContain('library_not_found')
  // The sweep runs after each job.
  await busy.parse('acme/replaced', { force: true })
  expect(await busy.tables()).toEqual(expect.arrayContaining(before))
  const path = join(tempDir(), 'backup')
  writeFileSync(path, await buffer(bytes))

  await busy.parse('acme/replaced', { force: true })
  await until(async () => (await busy.tables()).every((name) => !before.includes(name)))
  expect(readdirSync(join(busy.dataDir, 'backup-work'))).toEqual([])
  const dataDir = join(tempDir(), 'data')
  await restoreInto(dataDir, path)
  const restored = await startOn(dataDir)
  expect(await Promise.all(ids.map((id) => restored.context(id, 'lever')))).toEqual(answers)
})

test('an import that was accepted before the backup is finished after the restore', async () => {
  const blocked = Promise.withResolvers<void>()
  const busy = await testInstall({ openSnippets: finishAfter(() => blocked.promise) })
  onTestFinished(() => busy.close())
  const libraries = ['one', 'two'].map((name) => ({ project: `/acme/${name}`, ...snippetsOf(`The lever of ${name} turns.`) }))
  expect((await busy.call('POST', '/api/import-libraries', { libraries })).status).toBe(202)
  const path = await downloadBackup(busy, join(tempDir(), 'backup'))
  blocked.resolve()
  const dataDir = join(tempDir(), 'data')
  await restoreInto(dataDir, path)
  const restored = await startOn(dataDir)
  await until(() => [1, 2].every((id) => restored.app.jobs.get(id)?.state === 'done'))
  expect(await restored.context('/acme/two', 'lever')).toContain('The lever of two turns.')
  expect(await tablesIn(dataDir)).toHaveLength(4)
})

test('a backup excludes a second one at the same time, and removes its copies if its reader leaves', async () => {
  const first = await install.app.backups.open(false, new AbortController().signal)
  const second = await install.ask('/api/backup', { key: install.keys.admin })
  expect([second.status, await second.json()]).toEqual([409, expect.objectContaining({ error: 'job_active' })])
  first.bytes.destroy()
  await until(() => readdirSync(join(install.dataDir, 'backup-work')).length === 0)
  const third = await install.ask('/api/backup', { key: install.keys.admin })
  expect(third.status).toBe(200)
  await third.arrayBuffer()
})

test.runIf(mayMount())('a disk that fills while the databases are copied ends the backup and leaves no files', async () => {
  const small = await testInstall()
  onTestFinished(() => small.close())
  const work = join(small.dataDir, 'backup-work')
  const unmount = smallDisk(work, 1)
  onTestFinished(() => unmount?.())
  writeFileSync(join(work, 'ballast'), Buffer.alloc(900_000))
  await expect(downloadBackup(small, join(tempDir(), 'backup'))).rejects.toThrow(
    /The disk of .* is full\. No backup was made; make room and try again\./,
  )
  expect(readdirSync(work)).toEqual(['ballast'])
})

/** The paths of the files that this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })

test('a HEAD request gets the headers, but begins no backup and leaves no file open', async () => {
  const head = { method: 'HEAD', key: install.keys.admin }
  const answer = await install.ask('/api/backup', head)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zstd'])
  expect(install.app.backups.isRunning()).toBe(false)
  const name = 'carrel-backup-2026-01-01T00-00-00-000Z.tar.zst'
  const stored = join((await install.app.backupStore.list()).folder, name)
  await downloadBackup(install, stored)
  appendFileSync(stored, Buffer.alloc(1_000_000))
  expect((await install.ask(`/api/backups/${name}`, head)).status).toBe(200)
  await until(() => !openFiles().some((path) => path.endsWith(name)))
  expect(install.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('a backup whose copies of the databases do not fit on the disk is not begun', async () => {
  let freeBytes = 1_000
  const small = await testInstall({ diskSpace: () => ({ freeBytes, sizeBytes: 8e9 }) })
  onTestFinished(() => small.close())
  await expect(downloadBackup(small, join(tempDir(), 'backup'))).rejects.toThrow(
    /The copies of the databases need .*, and the disk of DATA_DIR has .*\. No backup was made; make room and try again\./,
  )
  freeBytes = 1e9
  await downloadBackup(small, join(tempDir(), 'backup'))
})

test('a download that fails ends early, and the log has the reason', async () => {
  const vendor = join(install.dataDir, 'vendor')
  mkdirSync(vendor)
  // The file is larger than the connection's buffers.
  writeFileSync(join(vendor, 'a'), randomBytes(40_000_000))
  writeFileSync(join(vendor, 'b'), 'whole')
  onTestFinished(() => rmSync(vendor, { recursive: true }))
  const answer = await install.ask('/api/backup', { key: install.keys.admin })
  truncateSync(join(vendor, 'b'))
  await expect(answer.arrayBuffer()).rejects.toThrow()
  const logged = install.log.lines.find(({ message }) => message === 'a backup failed')
  expect(String(logged?.fields.error)).toContain('changed while it was backed up')
  expect(logged?.fields.request).toBe(answer.headers.get('x-request-id'))
  await until(() => readdirSync(join(install.dataDir, 'backup-work')).length === 0)
})

test('keys leave the server only through the command line on its machine', async () => {
  const answer = await install.ask('/api/backup?keys=true', { key: install.keys.admin })
  expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ error: 'forbidden' })])
})
