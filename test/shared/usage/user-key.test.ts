import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { userKey } from '../../../shared/usage/user-key.ts'

const salt = new Uint8Array(32).fill(7)
const anonymous = { salt, address: '203.0.113.7', userAgent: 'Cursor/1.0' }

test('a user key has 22 characters that fit into an event, the same each time', () => {
  const key = userKey(anonymous)
  expect(key).toMatch(/^[\w-]{22}$/)
  expect(userKey(anonymous)).toBe(key)
})

test('a user key depends on the salt', () => {
  const key = userKey(anonymous)
  expect(userKey({ ...anonymous, salt: new Uint8Array(32).fill(8) })).not.toBe(key)
  const expected = createHmac('sha256', salt).update('["address","203.0.113.7","Cursor/1.0"]').digest().subarray(0, 16)
  expect(key).toBe(expected.toString('base64url'))
})

test('a user is identified by the key, else by the session, else by address and User-Agent together', () => {
  const named = { ...anonymous, keyId: 'k1', sessionId: 's1' }
  expect(userKey({ ...named, address: '198.51.100.1', sessionId: 's2' })).toBe(userKey(named))
  expect(userKey({ ...anonymous, sessionId: 's1', address: '198.51.100.1' })).toBe(userKey({ ...anonymous, sessionId: 's1' }))
  const four = [named, { ...anonymous, sessionId: 's1' }, anonymous, { ...anonymous, userAgent: 'Zed/1.0' }]
  expect(new Set(four.map(userKey)).size).toBe(4)
})

test('a session that is spelled like a key is another user', () => {
  expect(userKey({ ...anonymous, keyId: 'same' })).not.toBe(userKey({ ...anonymous, sessionId: 'same' }))
})

test('an empty session is ignored', () => {
  expect(userKey({ ...anonymous, sessionId: '' })).toBe(userKey(anonymous))
})
