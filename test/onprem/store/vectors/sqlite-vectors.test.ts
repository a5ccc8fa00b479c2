import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVectors } from '../../../../onprem/store/vectors/open-vectors.ts'
import { sqliteVectors } from '../../../../onprem/store/vectors/sqlite-vectors.ts'
import { mayMount, smallDisk } from '../../../fixtures/small-disk.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const now = () => new Date('2026-01-01T00:00:00Z')
const user = (generation: string, model = 'm') => ({ generation, library: '/a/b', model })
const hash = (n: number) => n.toString(16).padStart(32, '0')
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const made = (from: number, to: number, length = 4) =>
  numbers(from, to).map((n) => ({ hash: hash(n), vector: Float32Array.from({ length }, (_, i) => n + i) }))
const hashes = (from: number, to: number) => numbers(from, to).map(hash)

function opened(dataDir = tempDir()) {
  const db = openVectors(dataDir)
  onTestFinished(() => {
    if (db.isOpen) db.close()
  })
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM vectors').get()?.n)
  return { dataDir, db, count, vectors: sqliteVectors(db, now) }
}

test('a vector is found by its model and the hash of its text, also after a restart', async () => {
  const first = opened()
  await first.vectors.put(user('g1'), made(0, 500))
  first.db.close()
  const { vectors } = opened(first.dataDir)
  const taken = await vectors.take(user('g2'), [hash(3), hash(499), hash(500)], 4)
  expect([...taken]).toEqual([
    [hash(3), Float32Array.of(3, 4, 5, 6)],
    [hash(499), Float32Array.of(499, 500, 501, 502)],
  ])
  expect((await vectors.take(user('g3', 'other'), [hash(3)], 4)).size).toBe(0)
  expect((await vectors.take(user('g2'), [hash(3)], 8)).size).toBe(0)
  expect((await vectors.take(user('g2'), [hash(3)], undefined)).size).toBe(1)
  expect([vectors.modelOf('g1'), vectors.modelOf('g3'), vectors.modelOf('never')]).toEqual(['m', 'other', undefined])
})

test('a vector is deleted with the last generation that uses it', async () => {
  const { vectors, count } = opened()
  await vectors.put(user('g1'), made(0, 450))
  await vectors.put(user('g1', 'm'), made(0, 450))
  await vectors.take(user('g2'), hashes(0, 100), 4)
  await vectors.put(user('g2'), made(450, 460))
  expect(count()).toBe(460)
  await vectors.forget('g1')
  expect(count()).toBe(110)
  expect((await vectors.take(user('g2'), hashes(0, 460), 4)).size).toBe(110)
  await vectors.forget('g2')
  await vectors.forget('never')
  expect(count()).toBe(0)
  expect(vectors.users()).toEqual([])
})

test('deleted vectors are erased from the disk, and their space is freed', async () => {
  const { vectors, dataDir } = opened()
  const secret = 12345.678
  const many = numbers(0, 6000).map((n) => ({ hash: hash(n), vector: new Float32Array(512).fill(secret) }))
  await vectors.put(user('g1'), many)
  const [pattern, bytes] = [Buffer.from(Float32Array.of(secret, secret).buffer), () => statSync(join(dataDir, 'vectors.db')).size]
  const held = () => readdirSync(dataDir).some((name) => readFileSync(join(dataDir, name)).includes(pattern))
  expect(held()).toBe(true)
  const before = bytes()
  await vectors.forget('g1')
  expect(held()).toBe(false)
  expect(bytes()).toBeLessThan(before * 0.7)
})

test('the file can be read only by its owner, and a damaged file is reported with what to do', () => {
  const { dataDir, db } = opened()
  const modes = ['vectors.db', 'vectors.db-wal'].map((name) => (statSync(join(dataDir, name)).mode & 0o777).toString(8))
  expect(modes).toEqual(['600', '600'])
  db.close()
  writeFileSync(
    join(dataDir, 'vectors.db'),
    'not a database, but long enough to look like one to whoever only counts its bytes'.repeat(100),
  )
  expect(() => openVectors(dataDir)).toThrow(
    /^The vectors in .* cannot be opened: .* remove it: a re-index computes the vectors again\.$/,
  )
})

test('large writes and deletions do not block the event loop', async () => {
  const { vectors } = opened()
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  await vectors.put(user('g1'), made(0, 4000, 256))
  await vectors.forget('g1')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})

test.runIf(mayMount())('a full disk is not reported as a damaged file, whose deletion would lose the vectors', () => {
  const dataDir = tempDir()
  const unmount = smallDisk(dataDir, 1)
  onTestFinished(() => unmount?.())
  writeFileSync(join(dataDir, 'other'), Buffer.alloc(900_000))
  expect(() => openVectors(dataDir)).toThrow('The disk of DATA_DIR is full. Nothing was changed; make room and try again.')
})
