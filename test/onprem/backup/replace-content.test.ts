import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { completeRestore, replaceContent, stagingFolder } from '../../../onprem/backup/replace-content.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { hasUnfinishedRestore } from '../../../shared/store/restore-journal.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const script = new URL('../../fixtures/replace-content-process.ts', import.meta.url).pathname
const preload = new URL('../../fixtures/die-at-change.mjs', import.meta.url).href
const aside = 'pre-restore-2026-11-24T00-00-00-000Z'

const content = ['carrel.db', 'vectors.db', 'snippets/g1.lance/data', 'imports/a/head.json']
const onlyOld = ['carrel.db-wal', 'carrel.db-shm', 'sessions.key', 'reads']
const staying = ['salts.db', 'secrets.key', 'models/one', 'half', 'dev-license.pem', 'backups/one.tar.zst']

function write(folder: string, names: string[], text: string): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
const texts = (folder: string, names: string[]) => names.map((name) => readFileSync(join(folder, name), 'utf8'))

/** Replaces content in a process that dies before its nth change. Returns whether it died. */
async function replaceAndDie(dataDir: string, changes: number): Promise<boolean> {
  const env = { ...process.env, DIE_AT_CHANGE: String(changes) }
  const child = spawn(process.execPath, ['--import', preload, script, dataDir, aside], { env, stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  expect([code, signal]).toBeOneOf([
    [0, null],
    [null, 'SIGKILL'],
  ])
  return signal !== null
}

test('a restore that is killed before any of its changes leaves all of the old content, or is completed with all of the new', async () => {
  const outcomes: string[] = []
  for (let changes = 1; ; changes++) {
    const dataDir = tempDir()
    write(dataDir, [...content, ...onlyOld, ...staying], 'old')
    write(stagingFolder(dataDir), content, 'new')
    const died = await replaceAndDie(dataDir, changes)
    const isUnfinished = hasUnfinishedRestore(dataDir)
    if (isUnfinished) expect(() => openDatabase(dataDir)).toThrow(/A restore into DATA_DIR .* is running or was interrupted/)
    const completed = completeRestore(dataDir)
    expect(completed).toBe(isUnfinished ? join(dataDir, aside) : undefined)
    expect(existsSync(stagingFolder(dataDir))).toBe(false)
    const [found = ''] = texts(dataDir, content)
    outcomes.push(found)
    expect(texts(dataDir, content)).toEqual(content.map(() => found))
    expect(texts(dataDir, staying)).toEqual(staying.map(() => 'old'))
    const old = found === 'new' ? join(dataDir, aside) : dataDir
    expect(texts(old, [...content, ...onlyOld])).toEqual([...content, ...onlyOld].map(() => 'old'))
    if (found === 'new') for (const name of onlyOld) expect(readdirSync(dataDir)).not.toContain(name)
    if (!died) break
  }
  expect(outcomes.slice(0, 2)).toEqual(['old', 'old'])
  expect(outcomes.filter((found) => found === 'new').length).toBeGreaterThan(15)
})

test.runIf(mayMount())('a folder that cannot be moved leaves all of the old content, and the next start works', () => {
  const dataDir = tempDir()
  write(dataDir, content, 'old')
  write(stagingFolder(dataDir), content, 'new')
  const mounted = join(dataDir, 'snippets')
  const unmount = smallDisk(mounted, 1)
  onTestFinished(() => unmount?.())
  write(mounted, ['g1.lance/data'], 'old')
  expect(() => replaceContent(dataDir, aside)).toThrow(
    `${mounted} cannot be moved aside: it is a mount point. Nothing was changed`,
  )
  expect(completeRestore(dataDir)).toBe(undefined)
  expect(texts(dataDir, content)).toEqual(content.map(() => 'old'))
  expect(readdirSync(dataDir).sort()).toEqual(['carrel.db', 'imports', 'snippets', 'vectors.db'])
})

test('a link to a disk that is not mounted is moved aside like a folder', () => {
  const dataDir = tempDir()
  write(stagingFolder(dataDir), content, 'new')
  symlinkSync(join(dataDir, 'not-mounted'), join(dataDir, 'snippets'))
  replaceContent(dataDir, aside)
  expect(texts(dataDir, content)).toEqual(content.map(() => 'new'))
  expect(readlinkSync(join(dataDir, aside, 'snippets'))).toBe(join(dataDir, 'not-mounted'))
})
