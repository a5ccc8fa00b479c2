import { execFileSync } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { childEnv } from '../../shared/system/child-env.ts'
import { finishAfter } from '../fixtures/finish-after.ts'
import { snippetsOf } from '../fixtures/imports.ts'
import { page } from '../fixtures/page.ts'
import { tablesIn } from '../fixtures/tables-in.ts'
import { type InstallOptions, type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

// Whole installs are slow on a busy machine.
let first: TestInstall
let again: TestInstall | undefined

afterEach(async () => {
  await again?.stop()
  again = undefined
  await first.close()
})
const reopen = async (options?: InstallOptions) => {
  await again?.stop()
  again = await testInstall({ reopen: first, limits: { retiredMs: 0 }, ...options })
  return again
}
const parse = async ({ app, call }: Pick<TestInstall, 'app' | 'call'>, repo: string) => {
  const { body } = await call('POST', '/api/parse', { repoUrl: `${first.git.url}/${repo}`, force: true })
  await until(() => app.jobs.get(Number(body.queueId))?.finishedAt)
  return Number(body.queueId)
}
const status = async ({ url }: { url: string }, libraryId: string) =>
  (await fetch(`${url}/api/v2/context?${new URLSearchParams({ libraryId, query: 'wheel' })}`)).status
const carrel = (...words: string[]) =>
  execFileSync(process.execPath, ['onprem/cli/main.ts', ...words], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, DATA_DIR: first.dataDir, ...childEnv() },
  })
const tables = () => tablesIn(first.dataDir)
const warnings = async (install: TestInstall) => (await install.call('GET', '/api/health')).body.warnings as string[]
const files = { 'a.md': page('A', 'A lever turns a wheel.') }

test('content that is newer than a restored database is kept, reported, and served again by the newer database', async () => {
  first = await testInstall({ limits: { retiredMs: 0 } })
  for (const repo of ['acme/old', 'acme/new', 'acme/later']) await first.git.create(repo, { files })
  await parse(first, 'acme/old')
  await first.stop()
  const [database, backup, newer] = ['carrel.db', 'backup', 'newer'].map((name) => join(first.dataDir, name)) as [
    string,
    string,
    string,
  ]
  await cp(database, backup)

  const before = await reopen()
  const job = await parse(before, 'acme/new')
  await before.stop()
  const written = (await tables()).filter((name) => name.startsWith(`g${job}-`))
  expect(written).toHaveLength(2)
  await cp(database, newer)
  await cp(backup, database)

  const restored = await reopen()
  await until(() => restored.app.laterGenerations.list().length > 0)
  expect(await status(restored, '/acme/old')).toBe(200)
  expect(await status(restored, '/acme/new')).toBe(404)
  expect(await warnings(restored)).toContainEqual(expect.stringContaining('1 tables of content are newer than the database'))
  expect(await parse(restored, 'acme/later')).toBeGreaterThan(job)
  await reopen()
  expect(await tables()).toEqual(expect.arrayContaining(written))
  expect(carrel('content', 'list')).toContain(written[0]?.replace('.lance', ''))
  await again?.stop()

  await cp(database, backup)
  await cp(newer, database)
  expect(await status(await reopen(), '/acme/new')).toBe(200)
  await again?.stop()

  await cp(backup, database)
  carrel('content', 'remove')
  const last = await reopen()
  await until(async () => (await tables()).every((name) => !written.includes(name)))
  expect(await status(last, '/acme/later')).toBe(200)
  expect((await warnings(last)).some((each) => each.includes('newer'))).toBe(false)
})

test('content set aside for more than 30 days is deleted', async () => {
  first = await testInstall({ limits: { retiredMs: 0 } })
  await first.git.create('acme/old', { files })
  await first.git.create('acme/new', { files })
  await parse(first, 'acme/old')
  await first.stop()
  const [database, backup] = ['carrel.db', 'backup'].map((name) => join(first.dataDir, name)) as [string, string]
  await cp(database, backup)
  const job = await parse(await reopen(), 'acme/new')
  await again?.stop()
  await cp(backup, database)
  const kept = await reopen()
  await until(() => kept.app.laterGenerations.list().length > 0)
  await reopen({ now: () => new Date(Date.now() + 31 * 24 * 3600 * 1000) })
  await until(async () => (await tables()).every((name) => !name.startsWith(`g${job}-`)))
  await until(() => again?.app.laterGenerations.list().length === 0)
})

/** Backs the database up while a job of /acme/new is finishing, lets the job end, and puts the backup back. */
async function restoreBackupOfRunningJob(kind: 'parse' | 'import') {
  const [isWritten, mayFinish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const openSnippets = finishAfter(() => {
    isWritten.resolve()
    return mayFinish.promise
  })
  first = await testInstall({ limits: { retiredMs: 0 }, openSnippets })
  await first.git.create('acme/new', { files })
  if (kind === 'parse') await first.queue('acme/new')
  else
    await first.call('POST', '/api/import-libraries', {
      libraries: [{ project: '/acme/new', ...snippetsOf('A lever turns a wheel.') }],
    })
  await isWritten.promise
  const [database, backup, newer] = ['carrel.db', 'backup', 'newer'].map((name) => join(first.dataDir, name)) as [
    string,
    string,
    string,
  ]
  const running = new DatabaseSync(database)
  running.exec(`VACUUM INTO '${backup}'`)
  running.close()
  mayFinish.resolve()
  await until(() => first.app.jobs.get(1)?.state === 'done')
  expect(await status(first, '/acme/new')).toBe(200)
  await first.stop()
  const written = await tables()
  expect(written).toHaveLength(2)
  await cp(database, newer)
  await cp(backup, database)
  return { database, newer, written }
}

test.each(['parse', 'import'] as const)(
  'the content that a job (%s) finished after the backup is kept if the job cannot be repeated',
  async (kind) => {
    const { database, newer, written } = await restoreBackupOfRunningJob(kind)
    await first.git.remove('acme/new')
    const restored = await reopen({ limits: { retiredMs: 0, retryPausesMs: [] } })
    await until(() => restored.app.jobs.get(1)?.state === 'failed')
    expect(await status(restored, '/acme/new')).toBe(404)
    expect(await warnings(restored)).toContainEqual(expect.stringContaining('1 tables of content are newer than the database'))
    await reopen()
    expect(await tables()).toEqual(written)
    expect(carrel('content', 'list')).toContain(written[0]?.replace('.lance', ''))
    await again?.stop()

    await cp(newer, database)
    expect(await status(await reopen(), '/acme/new')).toBe(200)
  },
)

test('content that a parse finished after the backup is deleted when the resumed job has published its own', async () => {
  const { written } = await restoreBackupOfRunningJob('parse')
  const restored = await reopen()
  await until(() => restored.app.jobs.get(1)?.state === 'done')
  await until(async () => (await tables()).every((name) => !written.includes(name)))
  expect(await status(restored, '/acme/new')).toBe(200)
  expect(await warnings(restored)).toEqual([])
  expect(carrel('content', 'list')).toBe('')
})
