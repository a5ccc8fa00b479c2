import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addUsers,
  countUsers,
  fromBytes,
  mergeUsers,
  noUsers,
  toBytes,
  type UniqueUsers,
} from '../../../shared/usage/unique-users.ts'
import { hashOf, times } from '../../contracts/counters-events.ts'

const setOf = (users: Iterable<string | number>) => addUsers(noUsers(), Array.from(users, hashOf))
const stored = (users: UniqueUsers) => Buffer.from(toBytes(users)).toString('base64')

/** Small sets, large ones, and sets around the 512 where the kind changes. */
const users = fc
  .tuple(fc.nat(400), fc.constantFrom(0, 1, 100, 400, 511, 512, 513, 900))
  .map(([first, count]) => times(count, (n) => first + n))

test('up to 512 users are counted exactly', () => {
  for (const count of [0, 1, 2, 511, 512]) expect(countUsers(setOf(times(count, (n) => n)))).toBe(count)
  expect(countUsers(setOf(['ann', 'bob', 'ann']))).toBe(2)
  expect([512, 513].map((count) => Object.keys(setOf(times(count, (n) => n))))).toEqual([['keys'], ['registers']])
})

test('registers are stored unchanged', () => {
  const registers = Uint8Array.from({ length: 4096 }, (_, n) => n % 54)
  expect(fromBytes(toBytes({ registers }))).toEqual({ registers })
})

test('a key of zeros fills its register, and a key with one more bit does not', () => {
  const keyOf = (hex: string) => Buffer.from(hex.padEnd(32, 'f'), 'hex').toString('base64url')
  const filled = addUsers(
    { registers: new Uint8Array(4096) },
    ['0000000000000000', '0010000000000001', '0020000100000000', '0038000000000000'].map(keyOf),
  )
  expect('registers' in filled && [...filled.registers.subarray(0, 5)]).toEqual([53, 52, 20, 1, 0])
})

test('merging is commutative, associative and idempotent, and equals adding', () => {
  fc.assert(
    fc.property(users, users, users, (a, b, c) => {
      const [x, y, z] = [setOf(a), setOf(b), setOf(c)]
      expect(stored(mergeUsers(x, y))).toBe(stored(mergeUsers(y, x)))
      expect(stored(mergeUsers(mergeUsers(x, y), z))).toBe(stored(mergeUsers(x, mergeUsers(y, z))))
      expect(stored(mergeUsers(x, y))).toBe(stored(setOf([...a, ...b])))
      expect(mergeUsers(x, x)).toBe(x)
      expect(addUsers(x, a.map(hashOf))).toBe(x)
    }),
    { numRuns: 40, seed: 7 },
  )
})

test('a stored set is read back unchanged, and takes at most 4.2 kB', () => {
  for (const count of [0, 1, 512, 513, 20_000]) {
    const set = setOf(times(count, (n) => n))
    expect(toBytes(set).length).toBeLessThanOrEqual(4_200)
    expect(fromBytes(toBytes(set))).toEqual(set)
  }
})

/** Hashes as good as random ones: SplitMix64 from a seed on. */
function hashesFrom(seed: number, count: number): string[] {
  const bytes = Buffer.alloc(16)
  let state = BigInt(seed) * 0x2545f4914f6cdd1dn
  return times(count, () => {
    state += 0x9e3779b97f4a7c15n
    let mixed = BigInt.asUintN(64, state)
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n)
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn)
    bytes.writeBigUInt64BE(mixed ^ (mixed >> 31n))
    return bytes.toString('base64url')
  })
}

test('the error above 512 users is 1.6 % in the mean of many sets, without a bias', () => {
  for (const count of [520, 1_500, 5_000, 15_000]) {
    const errors = times(50, (seed) => countUsers(addUsers(noUsers(), hashesFrom(seed + 1, count))) / count - 1)
    const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
    expect(Math.sqrt(mean(errors.map((error) => error ** 2)))).toBeLessThan(0.018)
    expect(Math.abs(mean(errors))).toBeLessThan(0.006)
  }
})

test('hundreds of thousands of users are estimated as accurately as thousands', () => {
  expect(Math.abs(countUsers(addUsers(noUsers(), hashesFrom(1, 300_000))) / 300_000 - 1)).toBeLessThan(0.05)
})

test('damaged bytes are rejected', () => {
  const exact = toBytes(setOf([1, 2, 3]))
  const large = toBytes(setOf(times(600, (n) => n)))
  const wrong = [
    new Uint8Array(),
    Uint8Array.of(9),
    exact.subarray(0, -1),
    Uint8Array.of(1, ...exact.subarray(9, 17), ...exact.subarray(1, 9)),
    Uint8Array.of(1, ...new Uint8Array(8 * 513)),
    large.subarray(0, -3),
    large.map((byte, at) => (at === 0 ? byte : 255)),
  ]
  for (const bytes of wrong) expect(() => fromBytes(bytes)).toThrow(expect.objectContaining({ name: 'DamagedSketch' }))
})
