import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readGuard } from '../../../shared/store/read-guard.ts'
import { failure } from '../../fixtures/failure.ts'
import { silentLog } from '../../fixtures/silent-log.ts'
import { mayMount, smallDisk } from '../../fixtures/small-disk.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const healthy = async () => true
const never = new Promise<never>(() => undefined)
const logTo = (lines: unknown[]) => ({
  warn: (_: unknown, message: string) => void lines.push(message),
  error: ({ generation }: Record<string, unknown>) => void lines.push(generation),
})
const read = (guard: ReturnType<typeof readGuard>, generation: string) => guard.read(generation, async () => 'rows')

test('of all that was being read when a process died only the damaged is not read by the next, until it is dropped', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, silentLog)
  await died.checked
  for (const generation of ['g1-bad', 'g2-good', 'g3-good']) void died.read(generation, () => never)
  await read(died, 'g4-idle')

  const gate = Promise.withResolvers<void>()
  const found: string[] = []
  const probe = async (generation: string) => {
    await gate.promise
    return !generation.endsWith('bad')
  }
  const next = readGuard(folder, probe, logTo(found))
  for (const generation of ['g1-bad', 'g2-good', 'g3-good'])
    expect((await failure(read(next, generation))).message).toContain('is checked first')
  expect(await read(next, 'g4-idle')).toBe('rows')
  gate.resolve()
  await next.checked
  expect([found, next.damaged()]).toEqual([['g1-bad'], ['g1-bad']])
  expect((await failure(read(next, 'g1-bad'))).message).toContain('Its files are damaged')
  expect(await Promise.all([read(next, 'g2-good'), read(next, 'g3-good')])).toEqual(['rows', 'rows'])

  const later = readGuard(folder, probe, silentLog)
  await later.checked
  expect(later.damaged()).toEqual(['g1-bad'])
  later.forget('g1-bad')
  expect(await read(later, 'g1-bad')).toBe('rows')
  const last = readGuard(folder, async () => false, silentLog)
  await last.checked
  expect(last.damaged()).toEqual([])
})

test('what makes the store panic is not read again by this process, unless a check finds nothing', async () => {
  const probed = Promise.withResolvers<void>()
  const probe = async (generation: string) => {
    if (generation === 'g1-bad') probed.resolve()
    return generation !== 'g1-bad'
  }
  const guard = readGuard(tempDir(), probe, silentLog)
  const panic = async () => Promise.reject(new Error('Panic in async function'))
  for (const generation of ['g1-bad', 'g2-good']) await expect(guard.read(generation, panic)).rejects.toThrow('Panic')
  expect((await failure(read(guard, 'g1-bad'))).code).toBe('search_failed')
  await probed.promise
  await expect.poll(() => guard.damaged()).toEqual(['g1-bad'])
  await expect.poll(() => read(guard, 'g2-good').catch(() => '')).toBe('rows')
  await expect(guard.read('g3-good', async () => Promise.reject(new Error('no such file')))).rejects.toThrow('no such')
  expect(await read(guard, 'g3-good')).toBe('rows')
})

test('a process that dies while it checks leaves its suspects to the next, and one that ends in order leaves none', async () => {
  const folder = tempDir()
  void readGuard(folder, healthy, silentLog).read('g1-bad', () => never)
  readGuard(folder, () => never, silentLog)
  const checking = readGuard(folder, async () => false, silentLog)
  await checking.checked
  expect(checking.damaged()).toEqual(['g1-bad'])
  checking.forget('g1-bad')
  void checking.read('g2-good', () => never)
  checking.close()
  const next = readGuard(folder, async () => false, silentLog)
  await next.checked
  expect(next.damaged()).toEqual([])
})

test('a check whose result cannot be stored does not end the process, and is logged', async () => {
  const folder = tempDir()
  void readGuard(folder, healthy, silentLog).read('g1-good', () => never)
  const gate = Promise.withResolvers<boolean>()
  const logged: unknown[] = []
  const guard = readGuard(folder, () => gate.promise, logTo(logged))
  rmSync(folder, { recursive: true })
  gate.resolve(true)
  await guard.checked
  expect(await read(guard, 'g1-good')).toBe('rows')
  expect(logged).toEqual([expect.stringContaining('cannot be written')])
})

test('a check that fails leaves its suspect unread and the others answering', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, silentLog)
  for (const generation of ['g1-odd', 'g2-good']) void died.read(generation, () => never)
  const logged: unknown[] = []
  const probe = async (generation: string) => {
    if (generation === 'g1-odd') throw new Error('no process can be started')
    return true
  }
  const guard = readGuard(folder, probe, logTo(logged))
  await guard.checked
  expect((await failure(read(guard, 'g1-odd'))).message).toContain('is checked first')
  expect(await read(guard, 'g2-good')).toBe('rows')
  expect(logged).toEqual(['g1-odd'])
})

const fill = (disk: string) => {
  for (let size = 2 ** 20; size >= 1; size /= 2)
    for (let n = 0; n < 4; n++)
      try {
        writeFileSync(join(disk, `ballast-${size}-${n}`), Buffer.alloc(size))
      } catch {}
}

test.runIf(mayMount()).each(['before the start', 'after the start'])(
  'a disk that was full %s fails no read, and is logged once at most',
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
    // The slots were allocated before: the next process knows what was being read.
    void guard.read('g2-bad', () => never)
    const next = readGuard(disk, async () => false, logTo(logged))
    await next.checked
    expect(next.damaged()).toEqual(['g2-bad'])
    expect(existsSync(join(disk, 'damaged-content'))).toBe(false)
    const last = readGuard(disk, () => never, silentLog)
    expect((await failure(read(last, 'g2-bad'))).message).toContain('is checked first')
  },
)
