import { addKey, estimateCount, maxRank, registerCount } from './hyperloglog.ts'

/** A set of users that can be counted and merged: exact up to 512 users, HyperLogLog above (standard error 1.6 %). */
export type UniqueUsers = { keys: Set<bigint> } | { registers: Uint8Array }

const maxExact = 512
const kinds = { keys: 1, registers: 2 }
const packedBytes = (registerCount / 4) * 3

export const noUsers = (): UniqueUsers => ({ keys: new Set() })

/** Adds users by the first 64 bits of their hashes (22 characters of base64url). Returns the same object if none is new. */
export function addUsers(users: UniqueUsers, hashes: Iterable<string>): UniqueUsers {
  return addKeys(users, Array.from(hashes, keyOf))
}

/** The union. Returns the first object if the second adds nothing. */
export function mergeUsers(users: UniqueUsers, others: UniqueUsers): UniqueUsers {
  if ('keys' in others) return addKeys(users, others.keys)
  if ('keys' in users) return { registers: addKeys(others, users.keys).registers.slice() }
  const registers = users.registers.map((rank, index) => Math.max(rank, others.registers[index] ?? 0))
  return registers.some((rank, index) => rank !== users.registers[index]) ? { registers } : users
}

export const countUsers = (users: UniqueUsers): number =>
  'keys' in users ? users.keys.size : Math.max(maxExact + 1, Math.round(estimateCount(users.registers)))

/** At most 4,097 bytes: the kind, then ascending keys of 8 bytes, or registers of 6 bits. */
export function toBytes(users: UniqueUsers): Uint8Array {
  if ('registers' in users) return Uint8Array.of(kinds.registers, ...packRegisters(users.registers))
  const view = new DataView(new ArrayBuffer(1 + 8 * users.keys.size))
  view.setUint8(0, kinds.keys)
  for (const [n, key] of [...users.keys].sort((a, b) => (a < b ? -1 : 1)).entries()) view.setBigUint64(1 + 8 * n, key)
  return new Uint8Array(view.buffer)
}

/** Throws a `DamagedSketch` for bytes that `toBytes` cannot have written. */
export function fromBytes(bytes: Uint8Array): UniqueUsers {
  const body = bytes.subarray(1)
  if (bytes[0] === kinds.keys && body.length % 8 === 0 && body.length <= 8 * maxExact) return { keys: readKeys(body) }
  if (bytes[0] === kinds.registers && body.length === packedBytes) return { registers: unpackRegisters(body) }
  throw damaged(bytes)
}

function addKeys<Users extends UniqueUsers>(users: Users, keys: Iterable<bigint>): Users
function addKeys(users: UniqueUsers, keys: Iterable<bigint>): UniqueUsers {
  if ('registers' in users) {
    const registers = users.registers.slice()
    let changed = false
    for (const key of keys) changed = addKey(registers, key) || changed
    return changed ? { registers } : users
  }
  const all = new Set(users.keys)
  for (const key of keys) all.add(key)
  if (all.size === users.keys.size) return users
  return all.size <= maxExact ? { keys: all } : addKeys({ registers: new Uint8Array(registerCount) }, all)
}

const keyOf = (hash: string): bigint => Buffer.from(hash, 'base64url').readBigUInt64BE()

function readKeys(body: Uint8Array): Set<bigint> {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const keys = new Set<bigint>()
  let before = -1n
  for (let at = 0; at < body.length; at += 8) {
    const key = view.getBigUint64(at)
    if (key <= before) throw damaged(body)
    keys.add(key)
    before = key
  }
  return keys
}

/** Four registers of 6 bits in three bytes. */
function packRegisters(registers: Uint8Array): Uint8Array {
  const packed = new Uint8Array(packedBytes)
  for (let at = 0, from = 0; at < packedBytes; at += 3, from += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = registers.subarray(from, from + 4)
    packed.set([(a << 2) | (b >> 4), ((b << 4) | (c >> 2)) & 255, ((c << 6) | d) & 255], at)
  }
  return packed
}

function unpackRegisters(packed: Uint8Array): Uint8Array {
  const registers = new Uint8Array(registerCount)
  for (let at = 0, to = 0; at < packedBytes; at += 3, to += 4) {
    const [x = 0, y = 0, z = 0] = packed.subarray(at, at + 3)
    registers.set([x >> 2, ((x & 3) << 4) | (y >> 4), ((y & 15) << 2) | (z >> 6), z & 63], to)
  }
  if (registers.some((rank) => rank > maxRank)) throw damaged(packed)
  return registers
}

const damaged = (bytes: Uint8Array): Error =>
  Object.assign(
    new Error(`A sketch of unique users is damaged (${bytes.length} bytes). Delete its item; the day continues without it.`),
    {
      name: 'DamagedSketch',
    },
  )
