import { beforeEach, expect, test } from 'vitest'
import { type Backoff, backoffInMemory } from '../../../onprem/accounts/backoff.ts'

let time: number
let backoff: Backoff

beforeEach(() => {
  time = 1_000
  backoff = backoffInMemory(() => time)
})

/** How many of the attempts at mia, from so many addresses in turn, are let through within this time. */
const guesses = (addresses: number, seconds: number): number => {
  let passed = 0
  for (const end = time + seconds * 1000; time < end; time += 100) {
    for (let n = 0; n < addresses; n++) if (passes('mia', `address ${n}`)) passed += 1
  }
  return passed
}
const passes = (username: string, address: string): boolean => {
  try {
    backoff.begin(username, address)
    return true
  } catch {
    return false
  }
}

test('many addresses that guess share one pause, of eight seconds at most', () => {
  expect(guesses(100, 60)).toBeLessThan(100 * 3 + 10)
  expect(guesses(100, 60)).toBeLessThanOrEqual(9)
  time += 8_000
  expect(passes('mia', 'address 7')).toBe(true)
})

test('an address that is not guessing is not held up, nor is another user', () => {
  guesses(100, 60)
  expect(passes('mia', 'another address')).toBe(true)
  expect(passes('ada', 'address 7')).toBe(true)
})

test('upper case and spaces make no other user', () => {
  guesses(100, 60)
  expect(passes(' MIA ', 'address 7')).toBe(false)
})

test('says when the next attempt passes', () => {
  guesses(10, 20)
  expect(() => backoff.begin('mia', 'address 7')).toThrow(
    expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterMs: expect.any(Number), limitRequests: 1 }),
  )
})

test('an attempt that succeeded frees its address', () => {
  guesses(10, 20)
  time += 8_000
  backoff.begin('mia', 'address 7')
  backoff.succeeded('mia', 'address 7')
  expect(passes('mia', 'address 7')).toBe(true)
})

test('a quarter of an hour without an attempt ends the pauses', () => {
  guesses(100, 60)
  time += 15 * 60_000
  for (let n = 0; n < 5; n++) expect(passes('mia', 'address 7')).toBe(true)
})
