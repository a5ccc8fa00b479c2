import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { lanceSnippets } from '../../../shared/store/lance-snippets.ts'
import { readGuard } from '../../../shared/store/read-guard.ts'
import { row } from '../../contracts/snippet-row.ts'
import { writeGeneration } from '../../contracts/snippet-store.ts'
import { failure } from '../../fixtures/failure.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const healthy = async () => 'readable' as const
const unhealthy = async () => 'damaged' as const
const verdict = (isReadable: boolean) => (isReadable ? 'readable' : 'damaged')
const never = new Promise<never>(() => undefined)
const logTo = (lines: unknown[]) => ({
  warn: (_: unknown, message: string) => void lines.push(message),
  error: ({ generation }: Record<string, unknown>) => void lines.push(generation),
})
const read = (guard: ReturnType<typeof readGuard>, generation: string) => guard.read(generation, async () => 'rows')

test('content that a dying process was reading is checked, and only damaged content stays unread until it is dropped', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, silentLog)
  await died.checked
  for (const generation of ['g1-bad', 'g2-good', 'g3-good']) void died.read(generation, () => never)
  await read(died, 'g4-idle')

  const gate = Promise.withResolvers<void>()
  const found: string[] = []
  const probe = async (generation: string) => {
    await gate.promise
    return verdict(!generation.endsWith('bad'))
  }
  const next = readGuard(folder, probe, logTo(found))
  const waiting = [failure(read(next, 'g1-bad')), read(next, 'g2-good'), read(next, 'g3-good')]
  expect(await read(next, 'g4-idle')).toBe('rows')
  gate.resolve()
  const damaged = { code: 'data_damaged', message: expect.stringContaining('Its files are damaged') }
  expect(await Promise.all(waiting)).toEqual([expect.objectContaining(damaged), 'rows', 'rows'])
  await next.checked
  expect([found, next.damaged()]).toEqual([['g1-bad'], ['g1-bad']])
  expect(await failure(read(next, 'g1-bad'))).toMatchObject(damaged)

  const later = readGuard(folder, probe, silentLog)
  await later.checked
  expect(later.damaged()).toEqual(['g1-bad'])
  later.forget('g1-bad')
  expect(await read(later, 'g1-bad')).toBe('rows')
  const last = readGuard(folder, unhealthy, silentLog)
  await last.checked
  expect(last.damaged()).toEqual([])
})

test('content that makes the store panic is not read again by this process, unless a check finds it intact', async () => {
  const probed = Promise.withResolvers<void>()
  const probe = async (generation: string) => {
    if (generation === 'g1-bad') probed.resolve()
    return verdict(generation !== 'g1-bad')
  }
  const guard = readGuard(tempDir(), probe, silentLog)
  const panic = async () => Promise.reject(new Error('Panic in async function'))
  for (const generation of ['g1-bad', 'g2-good']) await expect(guard.read(generation, panic)).rejects.toThrow('Panic')
  expect((await failure(read(guard, 'g1-bad'))).code).toBe('data_damaged')
  await probed.promise
  await expect.poll(() => guard.damaged()).toEqual(['g1-bad'])
  await expect.poll(() => read(guard, 'g2-good').catch(() => '')).toBe('rows')
  await expect(guard.read('g3-good', async () => Promise.reject(new Error('no such file')))).rejects.toThrow('no such')
  expect(await read(guard, 'g3-good')).toBe('rows')
})

test('a read waits for the check of its content up to a limit, and later reads do not wait', async () => {
  const folder = tempDir()
  void readGuard(folder, healthy, silentLog).read('g1-slow', () => never)
  const guard = readGuard(folder, () => never, silentLog, { maxWaitMs: 200 })
  const first = failure(read(guard, 'g1-slow'))
  expect(await Promise.race([first, setTimeout(50, 'waits')])).toBe('waits')
  expect(await first).toMatchObject({ message: expect.stringContaining('is being checked'), retry: 'limited' })
  expect(await Promise.race([failure(read(guard, 'g1-slow')), setTimeout(50, 'waits')])).not.toBe('waits')
})

test('a process that dies during a check leaves its suspects to the next, and one that stops cleanly leaves none', async () => {
  const folder = tempDir()
  void readGuard(folder, healthy, silentLog).read('g1-bad', () => never)
  readGuard(folder, () => never, silentLog)
  const checking = readGuard(folder, unhealthy, silentLog)
  await checking.checked
  expect(checking.damaged()).toEqual(['g1-bad'])
  checking.forget('g1-bad')
  void checking.read('g2-good', () => never)
  checking.close()
  const next = readGuard(folder, unhealthy, silentLog)
  await next.checked
  expect(next.damaged()).toEqual([])
})

test('content that many readers have in hand is recorded until the last of them has ended', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, silentLog)
  const many = Array.from({ length: 200 }, (_, n) => `g${n}-${'x'.repeat(40)}`)
  for (const generation of many) void died.read(generation, () => never)
  const twice = died.read(many[7] ?? '', async () => 'rows')
  expect(await twice).toBe('rows')
  const next = readGuard(folder, unhealthy, silentLog)
  await next.checked
  expect(next.damaged()).toEqual(many)
})

test('a guard whose file cannot be written fails no read and no check, and is logged once', async () => {
  const logged: unknown[] = []
  const guard = readGuard(join(tempDir(), 'gone'), healthy, logTo(logged))
  await expect(guard.read('g1-good', async () => Promise.reject(new Error('Panic in async function')))).rejects.toThrow('Panic')
  for (let n = 0; n < 3; n++) expect(await read(guard, 'g1-good')).toBe('rows')
  expect(logged).toEqual([expect.stringContaining('cannot be written')])
})

test('a check without a result is repeated, and finally leaves its content unread until the next start', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, silentLog)
  for (const generation of ['g1-odd', 'g2-good', 'g3-late']) void died.read(generation, () => never)
  const logged: unknown[] = []
  const probed: string[] = []
  const probe = async (generation: string) => {
    probed.push(generation)
    if (generation === 'g1-odd') throw new Error('no process can be started')
    const isKilled = generation === 'g3-late' && probed.filter((each) => each === generation).length < 3
    return isKilled ? 'unknown' : 'readable'
  }
  const guard = readGuard(folder, probe, logTo(logged), { retryMs: 1 })
  await guard.checked
  expect(probed.slice(0, 3)).toEqual(['g1-odd', 'g2-good', 'g3-late'])
  expect(probed.filter((each) => each === 'g1-odd')).toHaveLength(3)
  expect([logged, guard.damaged(), guard.unchecked()]).toEqual([['g1-odd'], [], ['g1-odd']])
  expect(await failure(read(guard, 'g1-odd'))).toMatchObject({
    message: expect.stringContaining('could not be checked for damage'),
    retry: 'never',
  })
  expect(await Promise.all([read(guard, 'g2-good'), read(guard, 'g3-late')])).toEqual(['rows', 'rows'])
  guard.close()

  const next = readGuard(folder, healthy, silentLog)
  expect(await read(next, 'g1-odd')).toBe('rows')
})

test('content that is known to be damaged stays damaged if it cannot be checked again', async () => {
  const folder = tempDir()
  void readGuard(folder, healthy, silentLog).read('g1-bad', () => never)
  await readGuard(folder, unhealthy, silentLog).checked
  const guard = readGuard(folder, async () => 'unknown', silentLog, { retryMs: 1 })
  await guard.checked
  expect(guard.damaged()).toEqual(['g1-bad'])
})

test('a failed read on a path with the word panic does not count as a panic', async () => {
  const folder = join(tempDir(), 'panicked-at-panic')
  const writing = lanceSnippets(folder)
  await writeGeneration(writing, 'g1', [row('a', 'lever')])
  writing.close()
  rmSync(join(folder, 'g1.lance/data'), { recursive: true })
  const probed: string[] = []
  const probe = async (generation: string) => {
    probed.push(generation)
    return 'damaged' as const
  }
  const store = lanceSnippets(folder, { guard: readGuard(tempDir(), probe, silentLog) })
  onTestFinished(() => store.close())
  const search = () => store.search('g1', [{ term: 'lever', weight: 1 }], 1)
  for (let n = 0; n < 2; n++) await expect(search()).rejects.toThrow('panicked-at-panic')
  expect(probed).toEqual([])
})

test.each([
  'Panic in async function',
  'Failed to get next batch from stream: lance error: task 12 panicked with message "index out of bounds"',
  "thread 'tokio-rt-worker' panicked at /src/lance-encoding-8.0.0/src/data.rs:258:49",
])('the error "%s" counts as a panic', async (message) => {
  const guard = readGuard(tempDir(), unhealthy, silentLog)
  await expect(guard.read('g1-bad', async () => Promise.reject(new Error(message)))).rejects.toThrow(message)
  await expect.poll(() => guard.damaged()).toEqual(['g1-bad'])
})

const fill = (disk: string) => {
  for (let size = 2 ** 20; size >= 1; size /= 2)
    for (let n = 0; n < 4; n++)
      try {
        writeFileSync(join(disk, `ballast-${size}-${n}`), Buffer.alloc(size))
      } catch {}
}

test.runIf(mayMount()).each(['before the start', 'after the start'])(
  'a disk that was full %s fails no read, and is logged at most once',
  async (when) => {
    const disk = join(tempDir(), 'disk')
    const unmount = smallDisk(disk, 1)
    onTestFinished(() => unmount?.())
    const logged: unknown[] = []
    if (when === 'before the start') fill(disk)
    const guard = readGuard(disk, healthy, logTo(logged))
    if (when === 'after the start') fill(disk)
    expect(() => writeFileSync(join(disk, 'more'), 'x')).toThrow('ENOSPC')
    for (let n = 0; n < 3; n++) expect(await read(guard, 'g1-good')).toBe('rows')
    expect(logged).toHaveLength(when === 'before the start' ? 1 : 0)
    if (when === 'before the start') return
    // The file was allocated before: the next process knows what was being read.
    void guard.read('g2-bad', () => never)
    const next = readGuard(disk, unhealthy, logTo(logged))
    await next.checked
    expect(next.damaged()).toEqual(['g2-bad'])
    const last = readGuard(disk, () => never, silentLog)
    expect((await failure(read(last, 'g2-bad'))).message).toContain('Its files are damaged')
  },
)
