import { expect, test } from 'vitest'
import { readGuard } from '../../../shared/store/read-guard.ts'
import { failure } from '../../fixtures/failure.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const healthy = async () => true
const never = new Promise<never>(() => undefined)
const nothing = () => undefined
const read = (guard: ReturnType<typeof readGuard>, generation: string) => guard.read(generation, async () => 'rows')

test('of all that was being read when a process died only the damaged is not read by the next, until it is dropped', async () => {
  const folder = tempDir()
  const died = readGuard(folder, healthy, nothing)
  await died.checked
  for (const generation of ['g1-bad', 'g2-good', 'g3-good']) void died.read(generation, () => never)
  await read(died, 'g4-idle')

  const gate = Promise.withResolvers<void>()
  const found: string[] = []
  const probe = async (generation: string) => {
    await gate.promise
    return !generation.endsWith('bad')
  }
  const next = readGuard(folder, probe, (generation) => found.push(generation))
  for (const generation of ['g1-bad', 'g2-good', 'g3-good'])
    expect((await failure(read(next, generation))).message).toContain('is checked first')
  expect(await read(next, 'g4-idle')).toBe('rows')
  gate.resolve()
  await next.checked
  expect([found, next.damaged()]).toEqual([['g1-bad'], ['g1-bad']])
  expect((await failure(read(next, 'g1-bad'))).message).toContain('Its files are damaged')
  expect(await Promise.all([read(next, 'g2-good'), read(next, 'g3-good')])).toEqual(['rows', 'rows'])

  const later = readGuard(folder, probe, nothing)
  await later.checked
  expect(later.damaged()).toEqual(['g1-bad'])
  later.forget('g1-bad')
  expect(await read(later, 'g1-bad')).toBe('rows')
  const last = readGuard(folder, async () => false, nothing)
  await last.checked
  expect(last.damaged()).toEqual([])
})

test('what makes the store panic is not read again by this process, unless a check finds nothing', async () => {
  const probed = Promise.withResolvers<void>()
  const probe = async (generation: string) => {
    if (generation === 'g1-bad') probed.resolve()
    return generation !== 'g1-bad'
  }
  const guard = readGuard(tempDir(), probe, nothing)
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
  void readGuard(folder, healthy, nothing).read('g1-bad', () => never)
  readGuard(folder, () => never, nothing)
  const checking = readGuard(folder, async () => false, nothing)
  await checking.checked
  expect(checking.damaged()).toEqual(['g1-bad'])
  checking.forget('g1-bad')
  void checking.read('g2-good', () => never)
  checking.close()
  const next = readGuard(folder, async () => false, nothing)
  await next.checked
  expect(next.damaged()).toEqual([])
})
