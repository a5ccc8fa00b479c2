import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { rejectOtherVersion } from '../../../onprem/cli/api/reject-other-version.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { lockDataDir, openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const checkout = new URL('../../..', import.meta.url).pathname

/** The command line of a newer version, whose database has one step more. */
function newerCopy() {
  const root = tempDir()
  for (const part of ['onprem', 'shared', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(checkout, part), join(root, part), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'))
  const manifest = join(root, 'package.json')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: '999.0.0' }))
  const migrations = join(root, 'shared/store/migrations.ts')
  const text = readFileSync(migrations, 'utf8').replace('export const migrations', 'const before')
  writeFileSync(migrations, `${text}\nexport const migrations = [...before, 'CREATE TABLE later (x)']\n`)
  const main = join(root, 'onprem/cli/main.ts')
  // The compiled code of a copy is never read again.
  const env = { NODE_COMPILE_CACHE: '' }
  return (words: string[], dataDir: string) => runCarrelProcess(words, { dataDir, main, cwd: root, env })
}

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
  const [server, runNewer] = [await startServer({ dataDir, key: '' }), newerCopy()]
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
  const [server, runNewer] = [await startServer({ dataDir, key: '' }), newerCopy()]
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
