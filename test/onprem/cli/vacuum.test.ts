import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTextIndex } from '../../../onprem/store/text-index/open-text-index.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { page } from '../../fixtures/page.ts'
import { runCarrel, runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tablesIn } from '../../fixtures/tables-in.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { testInstall } from '../../fixtures/test-install.ts'

type Freed = { part: string; beforeBytes: number; afterBytes: number }

test('a vacuum frees the space of deleted rows, replaced content and leftovers, and answers stay the same', async () => {
  const install = await testInstall()
  onTestFinished(() => install.close())
  const carrel = (...words: string[]) => runCarrel(words, { dataDir: install.dataDir })
  await install.git.create('acme/lever', { files: { 'README.md': page('Lever', 'The lever turns.') } })
  await install.parse('acme/lever')
  await install.parse('acme/lever', { force: true })
  const answer = await install.context('/acme/lever', 'what turns')
  expect(await install.tables()).toHaveLength(4)
  expect(await carrel('vacuum')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Stop it, then vacuum. Nothing was changed.'),
  })
  await install.stop()

  const db = openDatabase(install.dataDir)
  db.exec(`INSERT INTO job_log
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
    SELECT 1, '', hex(zeroblob(1000)) FROM numbers`)
  db.exec("DELETE FROM job_log WHERE at = ''")
  db.close()
  const texts = openTextIndex(install.dataDir)
  texts.exec('CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(3000000)); DELETE FROM filler')
  texts.close()
  mkdirSync(join(install.dataDir, 'backup-work'))
  for (const folder of ['clones', 'imports', 'backup-work'])
    writeFileSync(join(install.dataDir, folder, 'left'), Buffer.alloc(100_000))

  const { code, out } = await carrel('vacuum', '--json')
  expect(code).toBe(0)
  const freed = new Map((JSON.parse(out) as Freed[]).map(({ part, beforeBytes, afterBytes }) => [part, beforeBytes - afterBytes]))
  for (const part of ['carrel.db', 'texts.db']) expect(freed.get(part)).toBeGreaterThan(2_900_000)
  for (const part of ['clones', 'imports', 'backup-work']) expect(freed.get(part)).toBe(100_000)
  expect(freed.get('snippets')).toBeGreaterThan(0)
  expect(await tablesIn(install.dataDir)).toHaveLength(2)
  expect((await carrel('vacuum')).out).toMatch(/^carrel\.db\t0\.\d MB\t0\.\d MB\t[-0.]+0? MB/)
  const again = await testInstall({ reopen: install })
  expect(await again.context('/acme/lever', 'what turns')).toBe(answer)
  await again.stop()
})

test.runIf(mayMount())(
  'a database is rewritten on the disk of the install, not in a small temporary folder',
  async () => {
    const [dataDir, temp] = [join(tempDir(), "it's"), join(tempDir(), 'temp')]
    const unmount = smallDisk(temp, 1)
    onTestFinished(() => unmount?.())
    const db = openDatabase(openDataDir(dataDir))
    db.exec('CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(8000000))')
    db.close()
    const env = { TMPDIR: temp, SQLITE_TMPDIR: temp }
    expect(await runCarrelProcess(['vacuum'], { dataDir, env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('carrel.db\t8.'),
    })
    expect(readdirSync(dataDir).filter((name) => name.includes('etilqs'))).toEqual([])
  },
  60_000,
)

test('a vacuum of a folder without an install creates nothing', async () => {
  expect(await runCarrel(['vacuum'], { dataDir: join(tempDir(), 'none') })).toMatchObject({
    code: 1,
    err: expect.stringContaining('holds no install'),
  })
})

test.runIf(mayMount())('a vacuum on a full disk deletes unused files before it checks for space', async () => {
  const disk = join(tempDir(), 'disk')
  const unmount = smallDisk(disk, 16)
  onTestFinished(() => unmount?.())
  const db = openDatabase(disk)
  db.exec('CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(4000000))')
  db.close()
  await runCarrel(['list'], { dataDir: disk })
  const clone = join(disk, 'clones', 'killed')
  mkdirSync(join(disk, 'clones'), { recursive: true })
  expect(() => writeFileSync(clone, Buffer.alloc(2 ** 24))).toThrow('ENOSPC')
  expect(await runCarrel(['vacuum'], { dataDir: disk })).toMatchObject({ code: 0 })
  expect(existsSync(clone)).toBe(false)

  mkdirSync(join(disk, 'clones'), { recursive: true })
  writeFileSync(clone, Buffer.alloc(2 ** 20))
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(8 * 2 ** 20))
  expect(await runCarrel(['vacuum'], { dataDir: disk })).toMatchObject({
    code: 1,
    err: expect.stringContaining('make room and try again'),
  })
  expect(existsSync(clone)).toBe(false)
})
