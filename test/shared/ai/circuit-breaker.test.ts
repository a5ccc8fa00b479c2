import { expect, test } from 'vitest'
import { circuitBreaker } from '../../../shared/ai/circuit-breaker.ts'

function clocked() {
  const clock = { ms: 0 }
  return { clock, use: circuitBreaker({ firstMs: 10, maxMs: 35, nowMs: () => clock.ms }) }
}

test('a provider that responds receives every request', () => {
  const { use } = clocked()
  for (let n = 0; n < 3; n++) use('a')?.passed()
  expect(use('a')).toBeDefined()
})

test('a provider that failed receives no request during a pause, and then a single one', () => {
  const { clock, use } = clocked()
  use('a')?.failed()
  clock.ms = 9
  expect(use('a')).toBeUndefined()
  clock.ms = 10
  expect(use('a')).toBeDefined()
  expect(use('a')).toBeUndefined()
})

test('the pause doubles up to its limit, and ends with the first response', () => {
  const { clock, use } = clocked()
  for (const pauseMs of [10, 20, 35, 35]) {
    use('a')?.failed()
    clock.ms += pauseMs - 1
    expect(use('a')).toBeUndefined()
    clock.ms += 1
  }
  use('a')?.passed()
  expect([use('a'), use('a')]).not.toContain(undefined)
})

test('several failures at the same time increase the pause only once', () => {
  const { clock, use } = clocked()
  const uses = [use('a'), use('a'), use('a')]
  for (const each of uses) each?.failed()
  clock.ms = 10
  expect(use('a')).toBeDefined()
})

test('another provider starts without failures, and late failures of the previous provider do not affect it', () => {
  const { use } = clocked()
  const first = use('a')
  const second = use('b')
  first?.failed()
  expect(use('b')).toBeDefined()
  second?.failed()
  expect(use('b')).toBeUndefined()
})

test('a caller that leaves before the response neither uses up the next attempt nor resets a failure', () => {
  const { clock, use } = clocked()
  use('a')?.failed()
  clock.ms = 10
  use('a')?.abandoned()
  const next = use('a')
  expect(next).toBeDefined()
  next?.failed()
  next?.abandoned()
  clock.ms = 29
  expect(use('a')).toBeUndefined()
})

test('a provider that rejects questions receives the next one, but none during a pause after three rejections in a row', () => {
  const { clock, use } = clocked()
  use('a')?.rejected()
  use('a')?.rejected()
  use('a')?.passed()
  use('a')?.rejected()
  use('a')?.rejected()
  expect(use('a')).toBeDefined()
  use('a')?.rejected()
  expect(use('a')).toBeUndefined()
  clock.ms += 10
  use('a')?.rejected()
  clock.ms += 19
  expect(use('a')).toBeUndefined()
})
