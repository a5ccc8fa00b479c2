import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteSalts } from '../../../shared/store/sqlite-salts.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let time = new Date('2026-11-20T10:00:00Z')
const at = (day: string) => {
  time = new Date(`${day}T10:00:00Z`)
}

function open(folder = tempDir()) {
  const path = join(folder, 'salts.db')
  const salts = sqliteSalts(path, () => time)
  onTestFinished(() => salts.close())
  const holds = (salt: Uint8Array) =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(Buffer.from(salt)))
  return { folder, path, salts, holds }
}

test('the salt of a day is 32 random bytes, the same after a restart, in a file for its owner only', async () => {
  at('2026-11-20')
  const { folder, path, salts } = open()
  const salt = await salts.saltOf('2026-11-20')
  expect(salt).toHaveLength(32)
  expect(await salts.saltOf('2026-11-21')).not.toEqual(salt)
  expect(await open(folder).salts.saltOf('2026-11-20')).toEqual(salt)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('the salt of the next day is created once, in advance', async () => {
  at('2026-11-20')
  const { folder, salts } = open()
  await salts.makeAhead()
  const salt = await open(folder).salts.saltOf('2026-11-21')
  await salts.makeAhead()
  expect(await salts.saltOf('2026-11-21')).toEqual(salt)
})

test('a salt is deleted after two days: from memory, and every byte of it from the disk', async () => {
  at('2026-11-20')
  const { salts, holds } = open()
  const salt = await salts.saltOf('2026-11-20')
  at('2026-11-21')
  await salts.saltOf('2026-11-21')
  await salts.forgetOld()
  expect(await salts.saltOf('2026-11-20')).toEqual(salt)
  expect(holds(salt)).toBe(true)

  at('2026-11-22')
  await salts.forgetOld()
  expect(holds(salt)).toBe(false)
  expect(holds(await salts.saltOf('2026-11-21'))).toBe(true)
  expect(await salts.saltOf('2026-11-20')).not.toEqual(salt)
})

test('a file that is no database is rejected with one sentence', () => {
  const path = join(tempDir(), 'salts.db')
  writeFileSync(path, 'garbage'.repeat(1000))
  expect(() => sqliteSalts(path, () => time)).toThrow(/^The file .*salts\.db cannot be opened: .*\. Delete it\. /)
})
