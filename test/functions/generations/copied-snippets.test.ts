import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { copiedSnippets } from '../../../functions/generations/copied-snippets.ts'
import { downloadFiles } from '../../../functions/generations/download-files.ts'
import { generationCopies } from '../../../functions/generations/generation-copies.ts'
import { listedSnippets } from '../../../functions/generations/listed-snippets.ts'
import { s3Files } from '../../../functions/generations/stored-files.ts'
import type { SnippetStore } from '../../../shared/search/rows/snippet-store.ts'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { row } from '../../contracts/snippet-row.ts'
import { snippetStoreContract, writeGeneration } from '../../contracts/snippet-store.ts'
import { folderFiles } from '../../fixtures/folder-files.ts'
import { testS3 } from '../../fixtures/s3.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const log = { warn: vi.fn() }
afterEach(() => vi.clearAllMocks())

/** A database with generations of one row each, whose text is the name of the generation, and the start of a process that reads copies of it. */
async function setUp(...generations: string[]) {
  const [root, folder] = [tempDir(), join(tempDir(), 'copies')]
  const files = folderFiles(root)
  const stored = lanceSnippets(root)
  onTestFinished(() => stored.close())
  for (const each of generations) await writeGeneration(listedSnippets(stored, files), each, [row(each, 'lever')])
  const start = (limits = {}) => {
    const store = copiedSnippets(lanceSnippets(root), files, { folder, log, limits })
    onTestFinished(() => store.close())
    return store
  }
  return { root, folder, files, stored, start }
}

const idsIn = async (store: SnippetStore, generation: string) =>
  (await store.search(generation, [{ term: 'lever', weight: 1 }], 5))?.map(({ id }) => id)

snippetStoreContract('copies of LanceDB', async () => {
  const { files, stored, start } = await setUp()
  return { store: { ...start(), write: listedSnippets(stored, files).write }, close: async () => undefined }
})

test('a library is copied with one read of its list and of each file, and then nothing is read from S3', async () => {
  const { files, start } = await setUp('g1')
  const store = start()
  const [statistics, ids] = await Promise.all([store.statistics('g1'), idsIn(store, 'g1')])
  expect([statistics?.chunks, ids]).toEqual([1, ['g1']])
  expect(files.reads[0]).toBe('g1.statistics.lance/files.json')
  expect(files.reads.length).toBeLessThanOrEqual(12)
  expect(new Set(files.reads).size).toBe(files.reads.length)
  files.reads.length = 0
  await idsIn(store, 'g1')
  store.close()
  expect(await idsIn(start(), 'g1')).toEqual(['g1'])
  expect(files.reads).toEqual([])
})

test('the list of files is deleted with its generation', async () => {
  const { root, stored } = await setUp('g1')
  expect(existsSync(join(root, 'g1.statistics.lance/files.json'))).toBe(true)
  await stored.drop('g1')
  expect(globSync('g1*', { cwd: root })).toEqual([])
})

const fileOf = (folder: string, pattern: string) => join(folder, globSync(pattern, { cwd: folder })[0] ?? '')
const damage: [string, (folder: string) => void][] = [
  ['is truncated', (folder) => truncateSync(fileOf(folder, 'g1.lance/data/*'), 100)],
  ['has other bytes', (folder) => writeFileSync(fileOf(folder, 'g1.lance/_indices/*/*invert*'), 'x', { flag: 'r+' })],
  ['is missing', (folder) => rmSync(fileOf(folder, 'g1.statistics.lance/data/*'))],
  ['is the list and was cut off', (folder) => truncateSync(join(folder, 'g1.files.json'), 20)],
]
test.each(damage)('a copy is made again by the next process if a file of it %s', async (_what, change) => {
  const { folder, files, start } = await setUp('g1')
  await idsIn(start(), 'g1')
  change(folder)
  files.reads.length = 0
  const next = start()
  expect([(await next.statistics('g1'))?.chunks, await idsIn(next, 'g1')]).toEqual([1, ['g1']])
  expect(files.reads).toContain('g1.statistics.lance/files.json')
})

test('a question is answered from S3 if its copy was damaged after it was checked, and the next one from a new copy', async () => {
  const { folder, files, start } = await setUp('g1')
  const store = start()
  await store.statistics('g1')
  truncateSync(fileOf(folder, 'g1.lance/data/*'), 100)
  expect(await idsIn(store, 'g1')).toEqual(['g1'])
  expect(log.warn).toHaveBeenCalledOnce()
  files.reads.length = 0
  expect(await idsIn(store, 'g1')).toEqual(['g1'])
  expect(files.reads).toContain('g1.statistics.lance/files.json')
  expect(log.warn).toHaveBeenCalledOnce()
})

test('an unfinished copy of a killed process is not read, and is deleted when it is old', async () => {
  const { folder, start } = await setUp('g1')
  await idsIn(start(), 'g1')
  rmSync(join(folder, 'g1.files.json'))
  truncateSync(fileOf(folder, 'g1.lance/data/*'), 100)
  mkdirSync(join(folder, 'g0.lance'))
  mkdirSync(join(folder, 'g2.lance'))
  utimesSync(join(folder, 'g0.lance'), new Date(0), new Date(0))
  expect(await idsIn(start(), 'g1')).toEqual(['g1'])
  expect(readdirSync(folder)).not.toContain('g0.lance')
  expect(readdirSync(folder)).toContain('g2.lance')
  expect(readdirSync(join(folder, '.unfinished'))).toEqual([])
})

const bytesIn = (folder: string) =>
  globSync('g*/**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

test('the copy that was used longest ago makes room for a new one', async () => {
  const { folder, start } = await setUp('g1', 'g2', 'g3')
  const first = start()
  await idsIn(first, 'g1')
  const limits = { maxBytes: bytesIn(folder) * 2.5 }
  first.close()
  const store = start(limits)
  for (const each of ['g1', 'g2', 'g1', 'g3']) expect(await idsIn(store, each)).toEqual([each])
  expect(globSync('*.files.json', { cwd: folder }).sort()).toEqual(['g1.files.json', 'g3.files.json'])
  expect(bytesIn(folder)).toBeLessThanOrEqual(limits.maxBytes)
  expect(await idsIn(store, 'g2')).toEqual(['g2'])
})

test('a copy that is being read stays, and a library without room has no copy', async () => {
  const { folder, files, start } = await setUp('g1', 'g2')
  const first = start()
  await idsIn(first, 'g1')
  first.close()
  const limits = { maxBytes: bytesIn(folder) * 1.5 }
  const copies = generationCopies(files, { folder, log, closeTables: async () => undefined, limits })
  const [reading, end] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const read = copies.use('g1', 'rows', () => {
    reading.resolve()
    return end.promise
  })
  await reading.promise
  expect(await copies.use('g2', 'rows', async () => 'read')).toBeUndefined()
  expect(globSync('*.files.json', { cwd: folder })).toEqual(['g1.files.json'])
  end.resolve('read')
  expect(await read).toBe('read')
  expect(await copies.use('g2', 'rows', async () => 'read')).toBe('read')
  expect(globSync('*.files.json', { cwd: folder })).toEqual(['g2.files.json'])
})

test('only the statistics of a large library are copied', async () => {
  const { folder, start } = await setUp('g1')
  const store = start({ maxCopyBytes: 1 })
  expect([(await store.statistics('g1'))?.chunks, await idsIn(store, 'g1')]).toEqual([1, ['g1']])
  expect(globSync('g1*', { cwd: folder }).sort()).toEqual(['g1.files.json', 'g1.statistics.lance'])
})

test('concurrent processes and questions get right answers from one folder', async () => {
  const { start } = await setUp('g1', 'g2', 'g3')
  const stores = [start(), start()]
  const asked = [...stores, ...stores].flatMap((store) => ['g1', 'g2', 'g3'].map((each) => idsIn(store, each)))
  expect(await Promise.all(asked)).toEqual([1, 2, 3, 4].flatMap(() => [['g1'], ['g2'], ['g3']]))
})

test('a library is read from S3 if no file can be written', async () => {
  const { folder, start } = await setUp('g1')
  writeFileSync(folder, 'a file')
  expect(await idsIn(start(), 'g1')).toEqual(['g1'])
  expect(log.warn).toHaveBeenCalledOnce()
})

test('a library without a list is read from S3, and one that is gone is undefined', async () => {
  const { root, start } = await setUp('g1')
  rmSync(join(root, 'g1.statistics.lance/files.json'))
  const store = start()
  expect(await idsIn(store, 'g1')).toEqual(['g1'])
  expect(await idsIn(store, 'gone')).toBeUndefined()
})

test('a download that fails is a failure of the question, and the next question downloads again', async () => {
  const { files, start } = await setUp('g1')
  const { read } = files
  const store = start()
  files.read = () => Promise.reject(new Error('S3 is down'))
  await expect(idsIn(store, 'g1')).rejects.toThrow('S3 is down')
  files.read = async (path, options) => (path.includes('/data/') ? Readable.from([Buffer.from('half')]) : read(path, options))
  await expect(idsIn(store, 'g1')).rejects.toThrow('does not have the')
  files.read = read
  expect(await idsIn(store, 'g1')).toEqual(['g1'])
})

test('a download ends when S3 sends nothing for four seconds', async () => {
  const { files, start } = await setUp('g1')
  const { read } = files
  const reached = Promise.withResolvers<void>()
  files.read = async (path, options) => {
    if (!path.includes('/data/')) return read(path, options)
    reached.resolve()
    return new Readable({ read() {} })
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failing = expect(idsIn(start(), 'g1')).rejects.toThrow('S3 sent nothing')
  await reached.promise
  await vi.advanceTimersByTimeAsync(4_000)
  await failing
})

test('a large file is downloaded in ranges, at most sixteen for a library', async () => {
  const [root, folder] = [tempDir(), tempDir()]
  const files = folderFiles(root)
  const bytes = randomBytes(20 * 2 ** 20)
  writeFileSync(join(root, 'large'), bytes)
  const [copied] = await downloadFiles(files, [{ path: 'large', bytes: bytes.length }], folder)
  expect(bytes.equals(readFileSync(join(folder, 'large')))).toBe(true)
  expect(copied?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(files.reads).toHaveLength(3)
  const huge = { path: 'huge', bytes: 200 * 2 ** 20 }
  const ranges: unknown[] = []
  files.read = async (_path, { range }) => {
    ranges.push(range)
    return undefined
  }
  await expect(downloadFiles(files, [huge], folder)).rejects.toThrow('huge is not stored')
  expect(ranges).toHaveLength(16)
})

test('the files of a table on S3 are listed and read in ranges', async () => {
  const { s3, bucket } = await testS3()
  const files = s3Files(s3, bucket, 'snippets')
  await files.write('g1.lance/data/one', 'abcdef')
  await files.write('g1.lance/data/two', '')
  await files.write('g10.lance/data/other', 'x')
  expect(await files.list('g1.lance')).toEqual([
    { path: 'g1.lance/data/one', bytes: 6, writtenAtMs: expect.any(Number) },
    { path: 'g1.lance/data/two', bytes: 0, writtenAtMs: expect.any(Number) },
  ])
  const { signal } = new AbortController()
  const part = await files.read('g1.lance/data/one', { range: { from: 2, to: 4 }, signal })
  expect(String(Buffer.concat((await part?.toArray()) ?? []))).toBe('cd')
  expect(await files.read('g1.lance/data/none', { signal })).toBeUndefined()
})
