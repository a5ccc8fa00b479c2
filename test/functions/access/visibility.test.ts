import { expect, test } from 'vitest'
import type { Caller } from '../../../functions/access/caller.ts'
import { mayKnow } from '../../../functions/access/visibility.ts'
import type { License } from '../../../shared/keys/license.ts'

const license: License = { id: 'l', customer: 'c', kind: 'online', expiresAt: '2030-01-01T00:00:00.000Z', teamspace: 'Acme' }
const key = { kind: 'teamspace', keyId: 'k', role: 'admin', scope: 'admin' } as const
const callers: Record<string, Caller> = {
  nobody: { kind: 'anonymous' },
  'its teamspace': { ...key, teamspace: 'Acme' },
  'another teamspace': { ...key, teamspace: 'Other' },
  'a license that names its teamspace': { kind: 'license', license },
}
const knowing = (privateTo: string | undefined) =>
  Object.entries(callers).flatMap(([name, caller]) => (mayKnow(caller, { privateTo }) ? [name] : []))

test('a public library is visible to every caller', () => {
  expect(knowing(undefined)).toEqual(Object.keys(callers))
})

test('a private library is visible only to its teamspace, and to no caller without one', () => {
  expect(knowing('Acme')).toEqual(['its teamspace'])
  expect(knowing('')).toEqual([])
})
