import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { ReadResult } from '../../../shared/reading/read-document.ts'
import { type ReaderPool, type ReadLimits, readerPool } from '../../../shared/reading/reader-pool.ts'
import { unpackChunks } from '../../../shared/search/rows/packed-chunks.ts'
import { countThreads } from '../../fixtures/count-threads.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const address = {
  platform: 'github' as const,
  host: { name: 'github' },
  id: { owner: 'a', repo: 'b' },
  baseUrl: 'https://github.com',
  webUrl: 'https://github.com/a/b',
  cloneUrl: 'https://github.com/a/b.git',
}
let root: string

beforeEach(() => {
  root = tempDir()
  writeFileSync(join(root, 'small.md'), '# Small\n\nThe lever turns.\n')
  // Hundreds of megabytes of syntax tree.
  writeFileSync(join(root, 'hungry.md'), 'some *words* `code` [link](x)\n\n'.repeat(200_000))
  // No reader gets this done in the time that these tests give it.
  writeFileSync(join(root, 'slow.html'), `${'<div>'.repeat(200_000)}text`)
})

/** A PDF whose page tree is this object. */
const pdfOf = (pages: string) =>
  `1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj ${pages} endobj\n3 0 obj <</Type/Page/Parent 2 0 R>> endobj`

function openPool(limits: Partial<ReadLimits>): ReaderPool {
  const pool = readerPool({ workers: 2, timeMs: 100_000, heapMb: 64, threadBytes: 1e7, ...limits })
  onTestFinished(() => pool.close())
  return pool
}

/** Processes that read one file alone. */
const readerProcesses = () =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('isolated-reader-process') && !line.includes('defunct'))
    .map((line) => Number.parseInt(line, 10))
const readerProcess = async () => {
  await until(() => readerProcesses().length > 0)
  return readerProcesses()[0] ?? 0
}
const task = (path: string) => ({ root, path, address, commit: 'c', fileBytes: 10_000_000 })
/** Two at a time, after the start of the first reader, so that none waits. */
async function readSmall(pool: ReaderPool, files: number): Promise<void> {
  await pool.read(task('small.md'))
  for (let read = 1; read < files; read += 2) await Promise.all([1, 2].map(() => pool.read(task('small.md'))))
}
const outcome = (result: ReadResult) =>
  'skipped' in result ? result.skipped : unpackChunks(result.page.chunks).map(({ content }) => content)

test('a file is read, chunked and analysed in a thread', async () => {
  const pool = openPool({})
  expect(outcome(await pool.read(task('small.md')))).toEqual(['The lever turns.'])
})

test('a file that exhausts its heap is skipped with that reason, and the files around it are read', async () => {
  const pool = openPool({})
  const results = await Promise.all(['small.md', 'hungry.md', 'small.md', 'small.md'].map((path) => pool.read(task(path))))
  expect(results.map(outcome)).toEqual([
    ['The lever turns.'],
    'it needs more than 64 MB of memory to parse',
    ['The lever turns.'],
    ['The lever turns.'],
  ])
})

test('a large file is read in a separate process; one that crashes it is skipped, and the next is read', async () => {
  writeFileSync(join(root, 'deadly.html'), 'a<b>c</b> '.repeat(300_000))
  writeFileSync(join(root, 'large.txt'), Array.from({ length: 60_000 }, (_, n) => `The pulley ${n} turns.`).join('\n\n'))
  const pool = openPool({ heapMb: 128, threadBytes: 1e6 })
  const paths = ['small.md', 'deadly.html', 'large.txt', 'small.md']
  const reading = Promise.all(paths.map((path) => pool.read(task(path))))
  await readerProcess()
  const [first, deadly, large, last] = (await reading).map(outcome)
  expect([first, last]).toEqual([['The lever turns.'], ['The lever turns.']])
  expect(deadly).toBeOneOf(['it ended the process that parsed it', 'it needs more than 128 MB of memory to parse'])
  expect(large?.length).toBeGreaterThan(500)
})

test('a separate process reads a page of small code that exports a large file', async () => {
  writeFileSync(join(root, 'package.json'), '{ "name": "kit" }')
  writeFileSync(join(root, 'index.ts'), "export * from './tents'\n")
  writeFileSync(join(root, 'tents.ts'), `/** A tent. */\nexport const tent = 1\n// ${'x'.repeat(400_000)}\n`)
  const pool = openPool({ heapMb: 256 })
  expect(outcome(await pool.read(task('index.ts')))).toEqual([expect.stringContaining('A tent.')])
  expect(readerProcesses()).toHaveLength(1)
})

test('a file that takes too long is skipped with that reason, and the next one is read', async () => {
  const pool = openPool({ workers: 1, timeMs: 8_000, heapMb: 512 })
  const results = await Promise.all(['slow.html', 'small.md'].map((path) => pool.read(task(path))))
  expect(results.map(outcome)).toEqual(['it took longer than 8 s to parse', ['The lever turns.']])
})

test.each([
  ['takes too long', 'slow.html', { timeMs: 3_000, heapMb: 512 }, 'it took longer than 3 s to parse'],
  ['exhausts its heap', 'hungry.md', {}, 'it needs more than 64 MB of memory to parse'],
])('only the file that %s is skipped of those that a reader has together', async (_, path, limits, reason) => {
  const pool = openPool({ workers: 1, ...limits })
  for (let file = 0; file < 2; file++) await pool.read(task('small.md'))
  const results = await Promise.all(['small.md', 'small.md', path, 'small.md'].map((each) => pool.read(task(each))))
  const small = ['The lever turns.']
  expect(results.map(outcome)).toEqual([small, small, reason, small])
})

test.each([
  ['objects that never end', '1 0 obj <<'.repeat(100_000)],
  ['a page tree that contains itself', pdfOf('<</Type/Pages/Kids[2 0 R]/Count 1000000>>')],
  ['a billion pages', pdfOf('<</Type/Pages/Kids[3 0 R]/Count 1000000000>>')],
])('a PDF of %s is skipped in its time, and the next file is read', async (_, body) => {
  writeFileSync(join(root, 'hostile.pdf'), `%PDF-1.4\n${body}\ntrailer <</Root 1 0 R>>\n%%EOF\n`)
  const pool = openPool({ workers: 1, timeMs: 5_000, heapMb: 512 })
  const [hostile, small] = await Promise.all(['hostile.pdf', 'small.md'].map((path) => pool.read(task(path))))
  expect(hostile).toHaveProperty('skipped')
  expect(small && outcome(small)).toEqual(['The lever turns.'])
})

test('a reader receives several files in one message, and replies to them in one', async () => {
  const messages = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => messages.mockRestore())
  const pool = openPool({ workers: 1 })
  for (let file = 0; file < 2; file++) await pool.read(task('small.md'))
  messages.mockClear()
  await Promise.all(Array.from({ length: 13 }, () => pool.read(task('small.md'))))
  expect(messages.mock.calls.map(([{ requests }]) => requests.length)).toEqual([1, 4, 4, 4])
})

test('a missing file, a file that is too large and a file without a reader are skipped with the reason', async () => {
  const pool = openPool({})
  writeFileSync(join(root, 'image.xyz'), 'x')
  expect(outcome(await pool.read(task('absent.md')))).toContain('ENOENT')
  expect(outcome(await pool.read({ ...task('small.md'), fileBytes: 3 }))).toBe('it has 0.0 MB, the limit is 0.0 MB')
  expect(outcome(await pool.read(task('image.xyz')))).toBe('no reader for .xyz')
})

test('a file can be read in a separate process; one that exceeds a limit there is skipped, and the next is read', async () => {
  const pool = openPool({})
  expect(outcome(await pool.readIsolated(task('small.md')))).toEqual(['The lever turns.'])
  expect(outcome(await pool.readIsolated(task('hungry.md')))).toBe('it needs more than 64 MB of memory to parse')
  expect(outcome(await pool.readIsolated(task('small.md')))).toEqual(['The lever turns.'])
})

test('a file that ends its separate process is skipped with that reason, and the next is read', async () => {
  const pool = openPool({ heapMb: 512 })
  const reading = pool.readIsolated(task('slow.html'))
  process.kill(await readerProcess(), 'SIGKILL')
  expect(await reading).toEqual({ skipped: 'it ended the process that parsed it', unread: 'crashed' })
  expect(outcome(await pool.readIsolated(task('small.md')))).toEqual(['The lever turns.'])
})

test('a file is blamed for the end of a process only if the process was fresh, else it is read again in a fresh one', async () => {
  const pool = openPool({ heapMb: 512 })
  await pool.readIsolated(task('small.md'))
  const used = await readerProcess()
  process.kill(used, 'SIGKILL')
  // The event loop has no turn: this thread does not learn of the end before it hands over the next file.
  while (!execFileSync('ps', ['-o', 'stat=', '-p', `${used}`], { encoding: 'utf8' }).startsWith('Z'));
  expect(outcome(await pool.readIsolated(task('small.md')))).toEqual(['The lever turns.'])

  const reading = pool.readIsolated(task('slow.html'))
  const alsoUsed = await readerProcess()
  process.kill(alsoUsed, 'SIGKILL')
  await until(() => readerProcesses().some((child) => child !== alsoUsed))
  process.kill(await readerProcess(), 'SIGKILL')
  expect(outcome(await reading)).toBe('it ended the process that parsed it')
})

test.each(['rest', 'close'] as const)('the separate process ends with the %s of the pool', async (end) => {
  const pool = openPool({ heapMb: 512 })
  await pool.readIsolated(task('small.md'))
  expect(readerProcesses()).toHaveLength(1)
  await pool[end]()
  await until(() => readerProcesses().length === 0)
})

test('ten unreadable files reduce the time for the next ones to a tenth, until the next version', async () => {
  const pool = openPool({ workers: 2, timeMs: 50 })
  const reasons = async (files: number) =>
    (await Promise.all(Array.from({ length: files }, () => pool.read(task('slow.html'))))).map(outcome)
  const slow = 'it took longer than 0.05 s to parse'
  const hurried = 'it took longer than 0.005 s to parse, the limit after 10 files that could not be parsed within theirs'
  // The reasons are sorted, since files come to their readers in any order; the second reader may begin one just before the tenth
  // times out.
  const first = (await reasons(14)).sort().reverse()
  expect([new Set(first.slice(0, 10)), new Set(first.slice(11))]).toEqual([new Set([slow]), new Set([hurried])])
  await pool.rest()
  expect(await reasons(1)).toEqual([slow])
})

test('ten unreadable files reduce the time for files in a separate process to a tenth', async () => {
  const pool = openPool({ timeMs: 50, heapMb: 512 })
  const results: ReadResult[] = []
  for (let n = 0; n < 11; n++) results.push(await pool.readIsolated(task('slow.html')))
  expect([results[9], results[10]].map((each) => each && outcome(each))).toEqual([
    'it took longer than 0.05 s to parse',
    'it took longer than 0.005 s to parse, the limit after 10 files that could not be parsed within theirs',
  ])
})

test('the included files of a batch are limited to five thousand and to half a million characters', async () => {
  const pool = openPool({ heapMb: 256 })
  const takes = (count: number, name: (n: number) => string) => {
    const names = Array.from({ length: count }, (_, n) => name(n))
    for (const each of names) writeFileSync(join(root, each), '')
    return names.map((each) => `--8<-- "./${each}"`).join('\n')
  }
  writeFileSync(
    join(root, 'a.md'),
    takes(3_000, (n) => `a${n}.md`),
  )
  writeFileSync(
    join(root, 'b.md'),
    takes(3_000, (n) => `b${n}.md`),
  )
  writeFileSync(
    join(root, 'long.md'),
    takes(3_000, (n) => `${'l'.repeat(200)}${n}.md`),
  )
  expect((await pool.scan(root, ['a.md', 'b.md', 'long.md'], 1e6)).includes.length).toBe(5_000)
  const long = (await pool.scan(root, ['long.md', 'a.md'], 1e6)).includes
  expect(long.join('').length).toBeGreaterThan(499_000)
  expect(long.join('').length).toBeLessThanOrEqual(500_000)
})

test('manifests are read in a thread within its limits, whatever their content', async () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `k${index}: 1`).join('\n')
  writeFileSync(join(root, 'pubspec.yaml'), `name: anvil\n${keys}\n`)
  expect(await openPool({}).packageNames(root)).toMatchObject({ names: ['anvil'] })
})

test('manifests that exceed a limit give no names', async () => {
  writeFileSync(join(root, 'package.json'), '{"name": "anvil"}')
  expect(await openPool({ timeMs: 1 }).packageNames(root)).toEqual({ names: [] })
})

test('a file that is nested too deeply is skipped with a clear reason', async () => {
  writeFileSync(join(root, 'api.yaml'), `openapi: 3.0.0\nx: ${'['.repeat(20_000)}`)
  expect(outcome(await openPool({ heapMb: 256 }).read(task('api.yaml')))).toBe('it is nested too deeply')
})

test.each([
  ['nested braces', `${'{'.repeat(10_000)}${'}'.repeat(10_000)}`],
  ['braces in one string', `{"${'}'.repeat(20_000)}"}`],
  ['blank lines in one statement', `export const rows = [\n${'  {a: 1},\n\n'.repeat(3_000)}]`],
])('an MDX file of thousands of %s is read', async (_, text) => {
  writeFileSync(join(root, 'hostile.mdx'), `The lever turns.\n\n${text}\n`)
  const contents = outcome(await openPool({ heapMb: 256 }).read(task('hostile.mdx')))
  expect(contents[0]).toMatch(/^The lever turns\./)
})

test('new readers start after a rest of the pool', async () => {
  const pool = openPool({})
  await pool.read(task('small.md'))
  await pool.rest()
  expect(outcome(await pool.read(task('small.md')))).toEqual(['The lever turns.'])
})

test('the next pool takes over an idle reader', async () => {
  const threads = countThreads()
  for (let pools = 0; pools < 3; pools++) {
    const pool = openPool({ heapMb: 400 })
    expect(outcome(await pool.read(task('small.md')))).toEqual(['The lever turns.'])
    await pool.rest()
    expect(outcome(await pool.read(task('small.md')))).toEqual(['The lever turns.'])
    await pool.close()
  }
  expect(threads()).toBe(1)
})

test.runIf(availableParallelism() > 1)('the next pool takes over every idle reader', async () => {
  const threads = countThreads()
  for (let pools = 0; pools < 3; pools++) {
    const pool = openPool({ heapMb: 401 })
    await readSmall(pool, pools === 0 ? 1_100 : 3)
    await pool.close()
  }
  expect(threads()).toBe(2)
})

test('a second reader starts after a thousand files', async () => {
  const threads = countThreads()
  const pool = openPool({ heapMb: 402 })
  await readSmall(pool, 900)
  expect(threads()).toBe(1)
  await readSmall(pool, 200)
  expect(threads()).toBe(2)
})

test('a second reader starts for a file that waits behind a slow one', async () => {
  const pool = openPool({ heapMb: 403 })
  const ended: string[] = []
  const read = (path: string) => pool.read(task(path)).then(() => ended.push(path))
  await Promise.race([read('slow.html'), read('small.md')])
  expect(ended).toEqual(['small.md'])
})

test('a reader that uses much memory is not kept', async () => {
  const threads = countThreads()
  writeFileSync(join(root, 'large.md'), 'some *words* `code` [link](x)\n\n'.repeat(12_000))
  for (let pools = 0; pools < 2; pools++) {
    const pool = openPool({ heapMb: 130 })
    expect(outcome(await pool.read(task('large.md')))).not.toBeTypeOf('string')
    await pool.close()
  }
  expect(threads()).toBe(2)
})

test('closing skips the current file, pending files and later files', async () => {
  const pool = openPool({ workers: 1, heapMb: 512 })
  const asked = [pool.read(task('slow.html')), pool.read(task('small.md')), pool.readIsolated(task('slow.html'))]
  await pool.close()
  asked.push(pool.read(task('small.md')), pool.readIsolated(task('small.md')))
  expect((await Promise.all(asked)).map(outcome)).toEqual(Array(5).fill('the job was stopped'))
  expect(await pool.scan(root, ['small.md'], 1000)).toEqual({ includes: [], titles: [], imports: [] })
})
