import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkStores, readiness } from '../../../../onprem/store/data-dir/readiness.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('stores are checked at most four times a second', async () => {
  let looks = 0
  let answers = true
  const ready = readiness(async () => {
    looks += 1
    if (!answers) throw new Error('gone')
  })
  expect(await Promise.all([ready(), ready(), ready()])).toEqual([true, true, true])
  answers = false
  vi.advanceTimersByTime(200)
  expect([await ready(), looks]).toEqual([true, 1])
  vi.advanceTimersByTime(100)
  expect([await ready(), looks]).toEqual([false, 2])
})

test('stores that hang are not ready, and no second check starts before the first ends', async () => {
  let looks = 0
  let end: () => void = () => undefined
  const ready = readiness(() => {
    looks += 1
    return new Promise<void>((resolve) => {
      end = resolve
    })
  })
  expect(await ready()).toBe(false)
  vi.advanceTimersByTime(60_000)
  expect([await ready(), looks]).toEqual([false, 1])
  end()
  await Promise.resolve()
  await vi.waitFor(() => {
    vi.advanceTimersByTime(2_000)
    void ready()
    expect(looks).toBe(2)
  })
  end()
  expect(await ready()).toBe(true)
})

test('a database that does not respond is not ready', async () => {
  const dataDir = tempDir()
  const path = join(dataDir, 'carrel.db')
  writeFileSync(path, 'not a database any more'.repeat(100))
  const db = new DatabaseSync(path)
  expect(
    await readiness(() =>
      checkStores({ db, damage: { note: () => undefined, messages: () => [] }, paths: { snippets: () => undefined } }, dataDir),
    )(),
  ).toBe(false)
  db.close()
})
