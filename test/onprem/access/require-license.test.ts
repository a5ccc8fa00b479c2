import { expect, test } from 'vitest'
import { requireLicense } from '../../../onprem/access/require-license.ts'
import type { License } from '../../../shared/keys/license.ts'

const license = (kind: License['kind']): License => ({ id: 'x', customer: 'Acme', kind, expiresAt: '2030-01-02T00:00:00.000Z' })
const at = (time: string) => () => new Date(time)
const before = at('2030-01-01T23:59:59.999Z')
const after = at('2030-01-02T00:00:00.000Z')

test.each(['offline', 'online'] as const)('an %s license that has not expired is sufficient', (kind) => {
  expect(() => requireLicense({ license: license(kind), now: before })).not.toThrow()
  expect(() => requireLicense({ license: license(kind), now: before }, kind)).not.toThrow()
})

test('a license that expires while the server is running is rejected with what to do', () => {
  expect(() => requireLicense({ license: license('offline'), now: after })).toThrow(
    expect.objectContaining({
      code: 'forbidden',
      message: 'The license expired on 2030-01-02: set LICENSE_KEY to a new one and restart the server.',
    }),
  )
})

test.each([
  ['online', 'offline', 'This requires an offline license; this install has an online license.'],
  ['offline', 'online', 'This requires an online license; this install has an offline license.'],
] as const)('an %s license does not permit requests that require an %s one', (kind, needed, message) => {
  expect(() => requireLicense({ license: license(kind), now: before }, needed)).toThrow(
    expect.objectContaining({ code: 'forbidden', message }),
  )
})
