import { beforeEach, expect, test } from 'vitest'
import { type Backoff, backoffInMemory } from '../../../onprem/accounts/backoff.ts'
import { AppError } from '../../../shared/errors.ts'

let time: number
let backoff: Backoff

beforeEach(() => {
  time = 1_000
  backoff = backoffInMemory(() => time)
})

/** The time when the password is compared; undefined if the attempt is rejected. */
function comparedAt(username: string, address: string, proxy?: string): number | undefined {
  try {
    return time + backoff.begin({ username, address, proxy })
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return undefined
  }
}
const signIn = (username: string, address: string) => {
  expect(comparedAt(username, address)).toBeDefined()
  backoff.succeeded({ username, address })
}

/** Runs every `everyMs` for this number of seconds. */
function during(seconds: number, everyMs: number, work: (n: number) => void): void {
  const end = time + seconds * 1000
  for (let n = 0; time < end; n += 1, time += everyMs) work(n)
}

/** The time until the right password is accepted, if the user tries each second while others attack in between. */
function secondsToSignIn(address: string, attack: (ms: number) => void): number {
  const began = time
  for (let tries = 0; tries < 600; tries += 1) {
    const compared = comparedAt('mia', address)
    if (compared !== undefined) return (compared - began) / 1000
    for (const end = time + 1_000; time < end; time += 50) attack(time)
  }
  return Number.POSITIVE_INFINITY
}

/** Attempts from so many addresses, each every six seconds: their limit of ten a minute. */
const poll = (addresses: number): ((ms: number) => void) => {
  const next = Array.from({ length: addresses }, (_, n) => time + (n * 6_000) / addresses)
  return (ms) => {
    for (let n = 0; n < addresses; n += 1) {
      if ((next[n] ?? 0) > ms) continue
      comparedAt('mia', `attacker ${n}`)
      next[n] = ms + 6_000
    }
  }
}

test.each([
  ['directly', undefined],
  ['through a trusted proxy', '127.0.0.1'],
])('guesses at one user from a new address each time, %s, are limited to 910 an hour', (_how, proxy) => {
  let compared = 0
  during(3600, 250, (n) => {
    if (comparedAt('mia', `address ${n}`, proxy) !== undefined) compared += 1
  })
  expect(compared).toBeGreaterThan(800)
  expect(compared).toBeLessThanOrEqual(910)
})

test('guesses at many users through one proxy are limited to two a second after the first 120', () => {
  let compared = 0
  during(600, 50, (n) => {
    if (comparedAt(`user ${n}`, `address ${n}`, '127.0.0.1') !== undefined) compared += 1
  })
  expect(compared).toBeLessThanOrEqual(120 + 2 * 600 + 2 * 8)
})

test('guesses at one user from one address are limited to 25 an hour', () => {
  let compared = 0
  during(3600, 500, () => {
    if (comparedAt('mia', 'attacker') !== undefined) compared += 1
  })
  expect(compared).toBeLessThanOrEqual(25)
})

test('an address from which the user has signed in is never delayed, however many addresses guess', () => {
  signIn('mia', 'home')
  during(120, 10, (n) => comparedAt('mia', `address ${n}`, '127.0.0.1'))
  expect(comparedAt('mia', 'home', '127.0.0.1')).toBe(time)
})

test('ten wrong passwords from such an address delay it by at most eight seconds', () => {
  signIn('mia', 'home')
  for (let n = 0; n < 10; n += 1) {
    comparedAt('mia', 'home')
    time += 8_000
  }
  comparedAt('mia', 'home')
  expect(secondsToSignIn('home', (ms) => void comparedAt('mia', `address ${ms}`))).toBeLessThanOrEqual(8)
})

test.each([1, 24])('a user who mistyped three times signs in within ten seconds while %i addresses guess', (addresses) => {
  const attack = poll(addresses)
  during(1800, 50, () => attack(time))
  for (let n = 0; n < 3; n += 1) comparedAt('mia', 'home')
  expect(secondsToSignIn('home', attack)).toBeLessThanOrEqual(10)
})

test.each([1, 60])(
  'the right password from a new address is compared within ten seconds while %i addresses guess',
  (addresses) => {
    const attack = poll(addresses)
    during(1800, 50, () => attack(time))
    for (let n = 0; n < 20; n += 1) {
      expect(secondsToSignIn(`new address ${n}`, attack)).toBeLessThanOrEqual(10)
      during(31, 50, () => attack(time))
    }
  },
)

test('a rejected attempt does not extend a pause', () => {
  for (let n = 0; n < 5; n += 1) {
    comparedAt('mia', 'home')
    time += 2_000
  }
  const seconds = secondsToSignIn('home', () => void comparedAt('mia', 'home'))
  expect(seconds).toBeLessThanOrEqual(8)
})

test('an attempt that was not compared is not counted, and its address does not become known', () => {
  for (let n = 0; n < 20; n += 1) {
    expect(comparedAt('mia', 'home')).toBe(time)
    backoff.withdraw({ username: 'mia', address: 'home' })
  }
  during(10, 50, (n) => comparedAt('mia', `address ${n}`))
  expect(comparedAt('mia', 'home')).not.toBe(time)
})

test('another user is not delayed', () => {
  during(10, 50, (n) => comparedAt('mia', `address ${n}`))
  expect(comparedAt('ada', 'address 7')).toBe(time)
})

test('case and spaces do not make another user', () => {
  during(10, 50, (n) => comparedAt('mia', `address ${n}`))
  expect(comparedAt(' MIA ', 'a new address')).not.toBe(time)
})

test('a rejected attempt returns the time until the next one', () => {
  for (let n = 0; n < 3; n += 1) comparedAt('mia', 'home')
  time += 30_000
  comparedAt('mia', 'home')
  expect(() => backoff.begin({ username: 'mia', address: 'home' })).toThrow(
    expect.objectContaining({ code: 'rate_limit_exceeded', retryAfterMs: 1_000, limitRequests: 1 }),
  )
})

test('the pauses end after a quarter of an hour without an attempt', () => {
  during(60, 50, () => comparedAt('mia', 'home'))
  time += 15 * 60_000
  for (let n = 0; n < 3; n += 1) expect(comparedAt('mia', 'home')).toBe(time)
})
