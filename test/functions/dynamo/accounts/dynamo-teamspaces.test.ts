import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Teamspaces } from '../../../../functions/access/teamspaces.ts'
import { dynamoTeamspaces } from '../../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { AppError } from '../../../../shared/errors.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey } from '../../../../shared/keys/api-key.ts'
import { openTestDynamo } from '../../../fixtures/dynamo.ts'

let table: Awaited<ReturnType<typeof openTestDynamo>>
let teamspaces: Teamspaces
let day = 1

beforeAll(async () => {
  table = await openTestDynamo()
  teamspaces = dynamoTeamspaces({ table, now: () => new Date(Date.UTC(2030, 0, day++)) })
})
afterAll(() => table.close())

const everything = async () => (await table.db.send(new ScanCommand({ TableName: table.name }))).Items ?? []
const noTeamspace = (name: string) => new AppError('team_not_found', `There is no teamspace "${name}".`)

describe('a teamspace', () => {
  test('is found by its name in any case', async () => {
    const created = await teamspaces.create('  Acme Ärzte ', 'team')
    expect(created).toEqual({ name: 'Acme Ärzte', plan: 'team', createdAt: expect.stringMatching(/^2030-01-/) })
    expect(await teamspaces.find('ACME ÄRZTE')).toEqual(created)
    expect(await teamspaces.find('acme a\u0308rzte')).toEqual(created)
    expect(await teamspaces.find('Acme')).toBeUndefined()
  })

  test('is created by only one of two concurrent requests', async () => {
    const made = await Promise.allSettled([teamspaces.create('Twice', 'free'), teamspaces.create('twice', 'enterprise')])
    const [lost, ...others] = made.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(others).toEqual([])
    expect(lost).toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(/^There is already a teamspace "[Tt]wice"/),
    })
  })

  test.each([
    ['no name', ' ', 'must not be empty'],
    ['a name of 101 characters', 'x'.repeat(101), 'must not be longer than 100 characters'],
    ['a name of two lines', 'a\nb', 'must be one line without control characters'],
    ['a NUL in its name', 'a\0b', 'must be one line without control characters'],
  ])('is rejected with %s', async (_, name, why) => {
    await expect(teamspaces.create(name, 'free')).rejects.toThrow(
      new AppError('validation_error', `The name of the teamspace ${why}.`),
    )
    expect(await teamspaces.find(name)).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'TEAM#x', 'KEY#1', '#', '𝔄'.repeat(50)])('may be named %s', async (name) => {
    await teamspaces.create(name, 'free')
    expect((await teamspaces.find(name))?.name).toBe(name)
    expect(await teamspaces.listKeys(name)).toEqual([])
  })
})

describe('members', () => {
  test('have the role that was set last', async () => {
    await teamspaces.create('Crew', 'team')
    await teamspaces.addMember('crew', 'ann', 'owner')
    await teamspaces.addMember('crew', 'bob', 'developer')
    await teamspaces.addMember('crew', 'bob', 'admin')
    const members = await teamspaces.members('crew')
    expect(members.map(({ user, role }) => [user, role])).toEqual([
      ['ann', 'owner'],
      ['bob', 'admin'],
    ])
  })

  test('are rejected with an invalid role or name', async () => {
    await teamspaces.create('Picky', 'team')
    await expect(teamspaces.addMember('picky', 'eve', 'root' as 'admin')).rejects.toThrow(
      'The role of a member must be one of owner, admin, developer.',
    )
    await expect(teamspaces.addMember('picky', 'e\nve', 'admin')).rejects.toThrow('The name of the member must be one line')
    expect(await teamspaces.members('picky')).toEqual([])
  })
})

describe('a key', () => {
  test('is shown once and stored only as its hash', async () => {
    await teamspaces.create('Keys', 'free')
    const { id, key } = await teamspaces.createKey('KEYS', 'ci')
    expect(key.startsWith(keyPrefixes.hosted) && isWellFormedKey(key)).toBe(true)
    expect(id).toBe(hashApiKey(key).slice(0, 16))
    expect(await teamspaces.findKey(key)).toEqual({ id, teamspace: 'Keys' })
    expect(JSON.stringify(await everything())).not.toContain(key.slice(16))
    expect(await teamspaces.listKeys('keys')).toEqual([
      { id, name: 'ci', prefix: `${key.slice(0, 14)}…`, createdAt: expect.any(String), revokedAt: null },
    ])
  })

  test('is invalid immediately and permanently after it is revoked', async () => {
    await teamspaces.create('Ended', 'free')
    const first = await teamspaces.createKey('Ended')
    const second = await teamspaces.createKey('Ended')
    expect(await teamspaces.revokeKey(first.id)).toBe(true)
    const [revoked] = await teamspaces.listKeys('Ended')
    expect(await teamspaces.revokeKey(first.id)).toBe(true)
    expect(await teamspaces.findKey(first.key)).toBeUndefined()
    expect(await teamspaces.findKey(second.key)).toEqual({ id: second.id, teamspace: 'Ended' })
    expect(await teamspaces.listKeys('Ended')).toEqual([
      expect.objectContaining({ id: first.id, revokedAt: revoked?.revokedAt }),
      expect.objectContaining({ id: second.id, revokedAt: null }),
    ])
    expect(revoked?.revokedAt).toMatch(/^2030-/)
  })

  test('cannot be revoked if it is unknown', async () => {
    expect(await teamspaces.revokeKey('0123456789abcdef')).toBe(false)
    expect(await teamspaces.revokeKey('x'.repeat(5000))).toBe(false)
    expect(await teamspaces.revokeKey('')).toBe(false)
  })

  test('is rejected without a read if it is mistyped, or of the other half', async () => {
    await teamspaces.create('Typo', 'free')
    const { key } = await teamspaces.createKey('Typo')
    const send = vi.spyOn(table.db, 'send')
    for (const wrong of [
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      key.slice(0, -1),
      makeApiKey(keyPrefixes.onprem),
      '',
      '__proto__',
    ]) {
      expect(await teamspaces.findKey(wrong)).toBeUndefined()
    }
    expect(send).not.toHaveBeenCalled()
    expect(await teamspaces.findKey(key)).toMatchObject({ teamspace: 'Typo' })
    expect(send).toHaveBeenCalledTimes(1)
    send.mockRestore()
  })

  test('is unknown if it is well formed but was never created', async () => {
    expect(await teamspaces.findKey(makeApiKey(keyPrefixes.hosted))).toBeUndefined()
  })

  test('is unknown if only the beginning of its hash matches', async () => {
    await teamspaces.create('Alike', 'free')
    const { key, id } = await teamspaces.createKey('Alike')
    const items = await everything()
    const stored = items.find(({ pk }) => pk === `KEY#${id}`)
    expect(stored?.hash).toBe(hashApiKey(key))
    await table.db.send(new PutCommand({ TableName: table.name, Item: { ...stored, hash: `${id}${'0'.repeat(48)}` } }))
    expect(await teamspaces.findKey(key)).toBeUndefined()
  })
})

describe('libraries', () => {
  test('are listed for the teamspace that owns them, until it loses them', async () => {
    await teamspaces.create('Owner', 'free')
    await teamspaces.own('owner', '/acme/widgets')
    await teamspaces.own('Owner', '/acme/gadgets')
    await teamspaces.own('Owner', '/acme/gadgets')
    expect(await teamspaces.owned('OWNER')).toEqual(['/acme/gadgets', '/acme/widgets'])
    await teamspaces.disown('owner', '/acme/gadgets')
    expect(await teamspaces.owned('owner')).toEqual(['/acme/widgets'])
  })

  test('are all listed, also if they have more than a megabyte', async () => {
    await teamspaces.create('Many', 'free')
    const keys = Array.from({ length: 600 }, (_, i) => `/acme/${'x'.repeat(900)}-${i}`)
    await Promise.all(keys.map((key) => teamspaces.own('Many', key)))
    expect(await teamspaces.owned('Many')).toEqual(keys.sort())
  })
})

test.each<[string, (name: string) => Promise<unknown>]>([
  ['members', (name) => teamspaces.members(name)],
  ['a new member', (name) => teamspaces.addMember(name, 'ann', 'owner')],
  ['a new key', (name) => teamspaces.createKey(name)],
  ['keys', (name) => teamspaces.listKeys(name)],
  ['ownership', (name) => teamspaces.own(name, '/acme/widgets')],
  ['libraries', (name) => teamspaces.owned(name)],
])('a request for %s of a missing teamspace is rejected with team_not_found', async (_, ask) => {
  await expect(ask('nobody')).rejects.toThrow(noTeamspace('nobody'))
})
