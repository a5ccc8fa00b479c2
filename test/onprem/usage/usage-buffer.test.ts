import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type SqliteCounters, sqliteCounters } from '../../../onprem/store/counters/sqlite-counters.ts'
import { usageBuffer } from '../../../onprem/usage/usage-buffer.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { sqliteSalts } from '../../../shared/store/sqlite-salts.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const now = () => new Date()
const today = () => now().toISOString().slice(0, 10)
const request = (library: string) => ({ library, surface: 'txt' as const, topics: ['setup'], address: '', userAgent: 'x' })

function open(wrap = (counters: SqliteCounters) => counters) {
  const folder = tempDir()
  const db = openDatabase(folder)
  onTestFinished(() => db.close())
  const counters = sqliteCounters(db, now)
  const log = recordedLog()
  const salts = sqliteSalts(join(folder, 'salts.db'), now)
  const book = usageBuffer({ counters: wrap(counters), salts, feedback: { tidy() {} }, log, now })
  const total = async (library: string) => (await counters.read(library, today(), today())).total.txt
  return { book, counters, log, total }
}

test('a failed write is retried with the next one, and each request is counted once', async () => {
  let full = true
  const { book, log, total } = open(({ add, ...counters }) => ({
    ...counters,
    async add(id, shard, events) {
      if (full && id === '/acme/second') throw new Error('database or disk is full')
      return add(id, shard, events)
    },
  }))
  await book.record(request('/acme/first'))
  await book.record(request('/acme/second'))
  await vi.waitFor(() => expect(log.lines).toMatchObject([{ message: 'usage cannot be counted yet' }]), 20_000)
  await book.record(request('/acme/first'))
  full = false
  await vi.waitFor(async () => expect(await total('/acme/second')).toBe(1), 20_000)
  expect(await total('/acme/first')).toBe(2)
  await book.close()
  expect([await total('/acme/first'), await total('/acme/second')]).toEqual([2, 1])
  expect(log.lines).toHaveLength(1)
})

test('the last second is written when the buffer is closed', async () => {
  const { book, total } = open()
  for (let n = 0; n < 20; n++) await book.record(request('/acme/kit'))
  await book.close()
  expect(await total('/acme/kit')).toBe(20)
})

test('the buffer is bounded: further events are logged in full', async () => {
  const { book, log, total } = open()
  await Promise.all(Array.from({ length: 10_001 }, () => book.record(request('/acme/kit'))))
  expect(log.lines).toMatchObject([
    { message: 'usage event not on the stream', fields: { uncertain: false, event: { library: '/acme/kit' } } },
  ])
  await book.close()
  expect(await total('/acme/kit')).toBe(10_000)
})
