import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Licenses } from '../../../../functions/access/licenses.ts'
import { dynamoLicenses } from '../../../../functions/dynamo/accounts/dynamo-licenses.ts'
import { AppError } from '../../../../shared/errors.ts'
import { makeKeyPair } from '../../../../shared/keys/key-pair.ts'
import type { License } from '../../../../shared/keys/license.ts'
import { openPolicy } from '../../../../shared/policy/policy.ts'
import { openTestDynamo } from '../../../fixtures/dynamo.ts'

let table: Awaited<ReturnType<typeof openTestDynamo>>
let licenses: Licenses

beforeAll(async () => {
  table = await openTestDynamo()
  licenses = dynamoLicenses({ table, now: () => new Date('2030-01-01T00:00:00Z') })
})
afterAll(() => table.close())

const license: License = { id: 'lic-1', customer: 'ACME Ltd', kind: 'offline', expiresAt: '2031-01-01T00:00:00.000Z' }

describe('a license', () => {
  test('is found after it was recorded', async () => {
    expect(await licenses.find('lic-1')).toBeUndefined()
    await licenses.record(license)
    expect(await licenses.find('lic-1')).toEqual({ ...license, teamspace: undefined })
    await licenses.record({ ...license, id: 'lic-2', kind: 'online', teamspace: 'acme', cloudUrl: 'https://carrel.example.com' })
    expect(await licenses.find('lic-2')).toEqual({ ...license, id: 'lic-2', kind: 'online', teamspace: 'acme' })
  })

  test('stays revoked, also if it is recorded or removed later', async () => {
    await licenses.record({ ...license, id: 'ended' }, 'team-1')
    expect(await licenses.isRevoked('ended')).toBe(false)
    for (let n = 0; n < 2; n++) await licenses.revoke('ended')
    await licenses.record({ ...license, id: 'ended' }, 'team-1')
    expect(await licenses.isRevoked('ended')).toBe(true)
    await licenses.forget('ended', 'team-1')
    expect(await licenses.isRevoked('ended')).toBe(true)
  })

  test('can be revoked if it was not issued here', async () => {
    await licenses.revoke('from elsewhere')
    expect(await licenses.isRevoked('from elsewhere')).toBe(true)
    expect(await licenses.find('from elsewhere')).toBeUndefined()
  })

  test('is listed for its teamspace, and removed with its policy', async () => {
    for (const id of ['t-1', 't-2']) await licenses.record({ ...license, id, teamspace: 'Acme' }, 'team-2')
    await licenses.changePolicy('t-1', { sourceTypes: { disable: ['websites'] } })
    expect(await licenses.issuedTo('team-2')).toEqual(['t-1', 't-2'])
    await licenses.forget('t-1', 'team-2')
    expect(await licenses.issuedTo('team-2')).toEqual(['t-2'])
    expect(await licenses.find('t-1')).toBeUndefined()
    expect(await licenses.policy('t-1')).toEqual(openPolicy())
  })

  test.each(['__proto__', '#', 'ü'.repeat(200)])('may have the id $0', async (id) => {
    await licenses.record({ ...license, id })
    expect((await licenses.find(id))?.customer).toBe('ACME Ltd')
    expect(await licenses.policy(id)).toEqual(openPolicy())
  })
})

describe('trusted keys', () => {
  test('are stored once each, in one normalized form', async () => {
    expect(await licenses.trustedKeys()).toEqual([])
    const [one, other] = [makeKeyPair(), makeKeyPair()]
    await licenses.trust(one.publicPem)
    await licenses.trust(`\n${one.publicPem.trim()}\n\n`)
    await licenses.trust(other.publicPem)
    expect((await licenses.trustedKeys()).sort()).toEqual([one.publicPem, other.publicPem].sort())
  })

  test('must be public keys', async () => {
    for (const wrong of ['', 'PEM', makeKeyPair().privatePem]) {
      await expect(licenses.trust(wrong)).rejects.toThrow(
        new AppError('validation_error', 'Only an Ed25519 public key in PEM can be trusted.'),
      )
    }
  })
})

describe('the policy of a license', () => {
  const block = (entry: string) => ({ libraryFilters: { quality: { blockedLibraries: { add: [entry] } } } })

  test('allows everything until it is changed, and is read as it was changed', async () => {
    expect(await licenses.policy('p1')).toEqual(openPolicy())
    const changed = await licenses.changePolicy('p1', {
      sourceTypes: { disable: ['websites'] },
      libraryFilters: { mode: 'select' },
    })
    expect(changed.sourceTypes.websites).toEqual({ enabled: false })
    expect(await licenses.policy('p1')).toEqual(changed)
    expect(await licenses.policy('p2')).toEqual(openPolicy())
  })

  test('loses no concurrent change', async () => {
    // Each round writes one of them, and a change is retried for 15 s: many more would not end in time on a slow machine.
    const entries = Array.from({ length: 20 }, (_, i) => `/acme/widgets-${i}`).sort()
    await Promise.all(entries.map((entry) => licenses.changePolicy('p3', block(entry))))
    expect((await licenses.policy('p3')).libraryFilters.quality.blockedLibraries.sort()).toEqual(entries)
  })

  test('may have the maximum size', async () => {
    const add = Array.from({ length: 950 }, (_, i) => `/acme/${String(i).padStart(290, 'x')}`)
    await licenses.changePolicy('p4', { libraryFilters: { select: { allowedLibraries: { add } } } })
    expect((await licenses.policy('p4')).libraryFilters.select.allowedLibraries).toEqual(add)
  })

  test('stays unchanged if a change would make it too large', async () => {
    const add = Array.from({ length: 600 }, (_, i) => `/acme/widgets-${i}`)
    await licenses.changePolicy('p5', { libraryFilters: { select: { allowedLibraries: { add } } } })
    const more = add.map((entry) => `${entry}-more`)
    const tooMany = licenses.changePolicy('p5', {
      libraryFilters: { mode: 'select', select: { allowedLibraries: { add: more } } },
    })
    await expect(tooMany).rejects.toMatchObject({ code: 'validation_error' })
    expect((await licenses.policy('p5')).libraryFilters).toMatchObject({ mode: null, select: { allowedLibraries: add } })
  })
})
