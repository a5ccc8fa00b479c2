import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rejectOtherVersion } from '../../../onprem/cli/api/reject-other-version.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { lockDataDir, openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const checkout = new URL('../../..', import.meta.url).pathname

/** The program of a newer version, whose database has one step more. */
const newer = mkdtempSync(join(tmpdir(), 'carrel-newer-'))
beforeAll(() => {
  for (const part of ['onprem', 'shared', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(checkout, part), join(newer, part), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(checkout, 'node_modules'), join(newer, 'node_modules'))
  const manifest = join(newer, 'package.json')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: '999.0.0' }))
  const migrations = join(newer, 'shared/store/migrations.ts')
  const text = readFileSync(migrations, 'utf8').replace('export const migrations', 'const before')
  writeFileSync(migrations, `${text}\nexport const migrations = [...before, 'CREATE TABLE later (x)']\n`)
})
afterAll(() => rmSync(newer, { recursive: true, force: true }))

const runNewer = (words: string[], dataDir: string) =>
  runCarrelProcess(words, {
    dataDir,
    main: join(newer, 'onprem/cli/main.ts'),
    cwd: newer,
    env: { NODE_COMPILE_CACHE: join(newer, 'compiled') },
  })

const schemaOf = (dataDir: string): number => {
  const db = new DatabaseSync(join(dataDir, 'carrel.db'), { readOnly: true })
  try {
    return Number(db.prepare('PRAGMA user_version').get()?.user_version)
  } finally {
    db.close()
  }
}

test('commands change nothing while a server of another version runs, and ignore its file after it has ended', async () => {
  const dataDir = openDataDir(join(tempDir(), 'data'))
  const server = await startServer({ dataDir, key: '' })
  await until(() => existsSync(join(dataDir, 'server.json')))
  const schema = schemaOf(dataDir)
  const message = /^carrel: The running server \(process \d+\) is version [\d.]+, but this command is version 999\.0\.0\. .*\n$/
  for (const words of [
    ['keys', 'list'],
    ['keys', 'create', '--name', 'x'],
    ['users', 'list'],
    ['settings', 'set', 'permissions.anonymousParse', 'true'],
    ['settings', 'list'],
    ['content', 'list'],
    ['license', 'show'],
    ['list'],
  ]) {
    const { code, out, err } = await runNewer(words, dataDir)
    expect({ words, code, out, err }).toEqual({ words, code: 1, out: '', err: expect.stringMatching(message) })
  }
  expect(schemaOf(dataDir)).toBe(schema)
  await server.kill()
  expect(existsSync(join(dataDir, 'server.json'))).toBe(true)
  expect(await runNewer(['keys', 'list'], dataDir)).toEqual({ code: 0, out: '', err: '' })
  expect(schemaOf(dataDir)).toBe(schema + 1)
})

test('commands do not migrate an older database that a process without server.json uses', async () => {
  const dataDir = openDataDir(join(tempDir(), 'data'))
  const server = await startServer({ dataDir, key: '' })
  await until(() => existsSync(join(dataDir, 'server.json')))
  rmSync(join(dataDir, 'server.json'))
  const schema = schemaOf(dataDir)
  const { code, out, err } = await runNewer(['keys', 'list'], dataDir)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^carrel: Another process uses DATA_DIR .*, and its database is not that of version 999\.0\.0\. Wait .*\n$/)
  expect(schemaOf(dataDir)).toBe(schema)
  await server.kill()
  expect(await runNewer(['keys', 'list'], dataDir)).toEqual({ code: 0, out: '', err: '' })
})

test('commands wait for a server of this version that has not yet created its database', async () => {
  const dataDir = openDataDir(join(tempDir(), 'data'))
  const lock = lockDataDir(dataDir, 'onprem')
  const checked = rejectOtherVersion(dataDir)
  openDatabase(dataDir).close()
  await expect(checked).resolves.toBeUndefined()
  lock.release()
})
