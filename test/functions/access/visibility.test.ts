import { expect, test } from 'vitest'
import type { Caller } from '../../../functions/access/caller.ts'
import { mayKnow } from '../../../functions/access/visibility.ts'
import type { License } from '../../../shared/keys/license.ts'

const license: License = { id: 'l', customer: 'c', kind: 'online', expiresAt: '2030-01-01T00:00:00.000Z', teamspace: 'Acme' }
const callers: Record<string, Caller> = {
  nobody: { kind: 'anonymous' },
  'its teamspace': { kind: 'teamspace', teamspace: 'Acme', keyId: 'k' },
  'another teamspace': { kind: 'teamspace', teamspace: 'Other', keyId: 'k' },
  'a license that names its teamspace': { kind: 'license', license },
}
const knowing = (privateTo: string | undefined) =>
  Object.entries(callers).flatMap(([name, caller]) => (mayKnow(caller, { privateTo }) ? [name] : []))

test('every caller may know of a public library', () => {
  expect(knowing(undefined)).toEqual(Object.keys(callers))
})

test('only its teamspace may know of a private library, and no caller of one without a teamspace', () => {
  expect(knowing('Acme')).toEqual(['its teamspace'])
  expect(knowing('')).toEqual([])
})
