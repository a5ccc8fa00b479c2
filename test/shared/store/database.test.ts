import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { toHttp } from '../../../shared/http/to-http.ts'
import { openDatabase, transaction } from '../../../shared/store/database.ts'
import { migrations } from '../../../shared/store/migrations.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const databaseModule = new URL('../../../shared/store/database.ts', import.meta.url).pathname

describe('the database', () => {
  test('is created with the newest schema, for its owner only, with a journal that allows reads during a write', () => {
    const dataDir = tempDir()
    const db = openDatabase(dataDir)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length })
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    expect(db.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
    const modes = ['carrel.db', 'carrel.db-wal'].map((name) => (statSync(join(dataDir, name)).mode & 0o777).toString(8))
    expect(modes).toEqual(['600', '600'])
    db.close()
  })

  test('keeps its content when it is opened again', () => {
    const dataDir = tempDir()
    const first = openDatabase(dataDir)
    first.exec("INSERT INTO trusted_license_keys VALUES ('a')")
    first.close()
    const again = openDatabase(dataDir)
    expect(again.prepare('SELECT pem FROM trusted_license_keys').all()).toEqual([{ pem: 'a' }])
    again.close()
  })

  test('shows one process what another has written as soon as it is written', () => {
    const dataDir = tempDir()
    const server = openDatabase(dataDir)
    const commandLine = openDatabase(dataDir)
    const read = server.prepare('SELECT count(*) AS n FROM trusted_license_keys')
    expect(read.get()).toEqual({ n: 0 })
    commandLine.exec("INSERT INTO trusted_license_keys VALUES ('a')")
    expect(read.get()).toEqual({ n: 1 })
    server.close()
    commandLine.close()
  })

  const opening = async (dataDir: string) => {
    const script = `import { openDatabase } from ${JSON.stringify(databaseModule)}
      console.log('ready'); process.stdin.once('data', () => { openDatabase(process.argv[1]).close(); process.exit() })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return { go: () => child.stdin.write('go'), code: once(child, 'exit').then(([code]) => code) }
  }

  test('can be created by several processes at the same time', async () => {
    const dataDir = tempDir()
    const processes = await Promise.all(Array.from({ length: 4 }, () => opening(dataDir)))
    for (const { go } of processes) go()
    expect(await Promise.all(processes.map(({ code }) => code))).toEqual([0, 0, 0, 0])
  })

  test('is opened after another process has finished writing, even before it has its journal', async () => {
    const dataDir = tempDir()
    const { go, code } = await opening(dataDir)
    const other = new DatabaseSync(join(dataDir, 'carrel.db'))
    other.exec('BEGIN IMMEDIATE')
    go()
    expect(await Promise.race([code, sleep(500, 'it waits')])).toBe('it waits')
    other.close()
    expect(await code).toBe(0)
  })

  test('is rejected unchanged if a newer version has written it', () => {
    const dataDir = tempDir()
    const db = openDatabase(dataDir)
    db.exec('PRAGMA user_version = 1000')
    db.close()
    expect(() => openDatabase(dataDir)).toThrow(
      `The database ${join(dataDir, 'carrel.db')} was written by a newer version of Carrel. Start that version, or restore a copy of DATA_DIR from before the upgrade.`,
    )
  })

  test('is rejected with its path if the file is no database', () => {
    const dataDir = tempDir()
    writeFileSync(join(dataDir, 'carrel.db'), 'this is not a database, but it is longer than nothing'.repeat(20))
    expect(() => openDatabase(dataDir)).toThrow(
      `The database ${join(dataDir, 'carrel.db')} cannot be opened: file is not a database.`,
    )
  })
})

describe('a transaction', () => {
  test('fails with disk_full if the disk is full, and its caller gets that error', () => {
    const db = openDatabase(tempDir())
    db.exec('PRAGMA max_page_count = 1')
    const fill = () => transaction(db, () => db.prepare('INSERT INTO trusted_license_keys VALUES (?)').run('a'.repeat(100_000)))
    const thrown = vi.fn(fill)
    expect(thrown).toThrow('The disk of DATA_DIR is full. Nothing was changed; make room and try again.')
    expect(toHttp(thrown.mock.results[0]?.value)).toMatchObject({
      status: 507,
      body: { error: 'disk_full', message: expect.stringContaining('The disk of DATA_DIR is full.') },
    })
    expect(db.prepare('SELECT count(*) AS n FROM trusted_license_keys').get()).toEqual({ n: 0 })
    db.close()
  })

  test('is rolled back if its work throws', () => {
    const db = openDatabase(tempDir())
    const work = () =>
      transaction(db, () => {
        db.exec("INSERT INTO trusted_license_keys VALUES ('a')")
        throw new Error('half-way')
      })
    expect(work).toThrow('half-way')
    expect(db.prepare('SELECT pem FROM trusted_license_keys').all()).toEqual([])
    expect(transaction(db, () => 'the next one works')).toBe('the next one works')
    db.close()
  })
})
