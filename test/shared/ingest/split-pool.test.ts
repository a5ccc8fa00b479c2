import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { SplitResult } from '../../../shared/ingest/split-file.ts'
import { type SplitLimits, type SplitPool, splitPool } from '../../../shared/ingest/split-pool.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const address = {
  platform: 'github' as const,
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
  // More than any reader gets done in the time that these tests give it.
  writeFileSync(join(root, 'slow.html'), `${'<div>'.repeat(100_000)}text`)
})

function openPool(limits: Partial<SplitLimits>): SplitPool {
  const pool = splitPool({ workers: 2, timeMs: 20_000, heapMb: 64, ...limits })
  onTestFinished(() => pool.close())
  return pool
}

const task = (path: string) => ({ root, path, address, commit: 'c', fileBytes: 10_000_000 })
const outcome = (result: SplitResult) => ('skipped' in result ? result.skipped : result.page.units.map(({ content }) => content))

test('a file is read, cut and analysed in a thread', async () => {
  const pool = openPool({})
  expect(outcome(await pool.split(task('small.md')))).toEqual(['The lever turns.'])
})

test('a file that exhausts its heap is skipped with that reason, and the files around it are read', async () => {
  const pool = openPool({})
  const results = await Promise.all(['small.md', 'hungry.md', 'small.md', 'small.md'].map((path) => pool.split(task(path))))
  expect(results.map(outcome)).toEqual([
    ['The lever turns.'],
    'it needs more than 64 MB of memory to parse',
    ['The lever turns.'],
    ['The lever turns.'],
  ])
})

test('a file that takes too long is skipped with that reason, and the next one is read', async () => {
  const pool = openPool({ workers: 1, timeMs: 1500, heapMb: 512 })
  const results = await Promise.all(['slow.html', 'small.md'].map((path) => pool.split(task(path))))
  expect(results.map(outcome)).toEqual(['it took longer than 1.5 s to parse', ['The lever turns.']])
})

test('a file that is not there, too large or without a reader is skipped with its reason', async () => {
  const pool = openPool({})
  writeFileSync(join(root, 'image.xyz'), 'x')
  expect(outcome(await pool.split(task('absent.md')))).toContain('ENOENT')
  expect(outcome(await pool.split({ ...task('small.md'), fileBytes: 3 }))).toBe('it has 0.0 MB, the limit is 0.0 MB')
  expect(outcome(await pool.split(task('image.xyz')))).toBe('no reader for .xyz')
})

test('a file is read alone, in a process of its own, and one that breaks a limit there is skipped; the next is read', async () => {
  const pool = openPool({ timeMs: 5000 })
  expect(outcome(await pool.splitAlone(task('small.md')))).toEqual(['The lever turns.'])
  expect(outcome(await pool.splitAlone(task('hungry.md')))).toBe('it needs more than 64 MB of memory to parse')
  expect(outcome(await pool.splitAlone(task('small.md')))).toEqual(['The lever turns.'])
})

test('a file that ends the process that reads it alone is skipped with that reason, and the next is read', async () => {
  const pool = openPool({ heapMb: 512 })
  await pool.splitAlone(task('small.md'))
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' }).split('\n')
  const child = Number.parseInt(children.find((line) => line.includes('split-child')) ?? '', 10)
  const reading = pool.splitAlone(task('slow.html'))
  process.kill(child, 'SIGKILL')
  expect(outcome(await reading)).toBe('it ended the process that parsed it')
  expect(outcome(await pool.splitAlone(task('small.md')))).toEqual(['The lever turns.'])
})

test('manifests are read in a thread, within its limits, however they are written', async () => {
  const keys = Array.from({ length: 5_000 }, (_, index) => `k${index}: 1`).join('\n')
  writeFileSync(join(root, 'pubspec.yaml'), `name: anvil\n${keys}\n`)
  const started = performance.now()
  expect(await openPool({}).packageNames(root)).toMatchObject({ names: ['anvil'] })
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('manifests that break a limit give no names', async () => {
  writeFileSync(join(root, 'package.json'), '{"name": "anvil"}')
  expect(await openPool({ timeMs: 1 }).packageNames(root)).toEqual({ names: [] })
})

test('a file that is nested too deeply is skipped with a reason that a person understands', async () => {
  writeFileSync(join(root, 'api.yaml'), `openapi: 3.0.0\nx: ${'['.repeat(20_000)}`)
  expect(outcome(await openPool({ heapMb: 256 }).split(task('api.yaml')))).toBe('it is nested too deeply')
})

test.each([
  ['nested braces', `${'{'.repeat(10_000)}${'}'.repeat(10_000)}`],
  ['braces in one string', `{"${'}'.repeat(20_000)}"}`],
  ['blank lines in one statement', `export const rows = [\n${'  {a: 1},\n\n'.repeat(3_000)}]`],
])('MDX of thousands of %s is read in time', async (_, text) => {
  writeFileSync(join(root, 'hostile.mdx'), `The lever turns.\n\n${text}\n`)
  const contents = outcome(await openPool({ timeMs: 5_000, heapMb: 256 }).split(task('hostile.mdx')))
  expect(contents[0]).toMatch(/^The lever turns\./)
})

test('readers that rest give way to new ones', async () => {
  const pool = openPool({})
  await pool.split(task('small.md'))
  await pool.rest()
  expect(outcome(await pool.split(task('small.md')))).toEqual(['The lever turns.'])
})

test('closing ends a file that is being read, those that wait and those that come after', async () => {
  const pool = openPool({ workers: 1, heapMb: 512 })
  const asked = [pool.split(task('slow.html')), pool.split(task('small.md')), pool.splitAlone(task('slow.html'))]
  await pool.close()
  asked.push(pool.split(task('small.md')), pool.splitAlone(task('small.md')))
  expect((await Promise.all(asked)).map(outcome)).toEqual(Array(5).fill('the job was stopped'))
  expect(await pool.includes(root, ['small.md'], 1000)).toEqual([])
})
