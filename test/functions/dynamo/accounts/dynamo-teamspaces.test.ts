import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Teamspaces } from '../../../../functions/access/teamspaces.ts'
import { dynamoTeamspaces } from '../../../../functions/dynamo/accounts/dynamo-teamspaces.ts'
import { AppError } from '../../../../shared/errors.ts'
import { hashApiKey, isWellFormedKey, keyPrefixes, makeApiKey } from '../../../../shared/keys/api-key.ts'
import { openTestDynamo } from '../../../fixtures/dynamo.ts'
import { awsError, faultyTable, isWrite } from '../faulty-table.ts'

const down = { error: awsError('ProvisionedThroughputExceededException'), takesEffect: false }
let table: Awaited<ReturnType<typeof openTestDynamo>>
let teamspaces: Teamspaces
let day = 1

beforeAll(async () => {
  table = await openTestDynamo()
  teamspaces = dynamoTeamspaces({ table, now: () => new Date(Date.UTC(2030, 0, day++)) })
})
afterAll(() => table.close())

const everything = async () => (await table.db.send(new ScanCommand({ TableName: table.name }))).Items ?? []
const noTeamspace = (id: string) => new AppError('team_not_found', `There is no teamspace "${id}".`)
const made = async (name: string) => (await teamspaces.create(name, 'free')).id
const by = { createdBy: 'operator ann' }

describe('a teamspace', () => {
  test('is found by its name in any case', async () => {
    const created = await teamspaces.create('  Acme Ärzte ', 'team')
    expect(created).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      name: 'Acme Ärzte',
      plan: 'team',
      createdAt: expect.stringMatching(/^2030-01-/),
    })
    expect(await teamspaces.get(created.id)).toEqual(created)
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
    const id = await made(name)
    expect(await teamspaces.find(name)).toMatchObject({ id, name })
    expect(await teamspaces.listKeys(id)).toEqual([])
  })

  test('is not found by the name of another partition', async () => {
    const id = await made('Partition')
    for (const id2 of ['', '__proto__', `${id}#x`, 'Partition']) expect(await teamspaces.get(id2)).toBeUndefined()
  })
})

describe('members', () => {
  test('have the role that was set last', async () => {
    const id = await made('Crew')
    await teamspaces.addMember(id, 'ann', 'owner')
    await teamspaces.addMember(id, 'bob', 'developer')
    await teamspaces.addMember(id, 'bob', 'admin')
    const members = await teamspaces.members(id)
    expect(members.map(({ user, role }) => [user, role])).toEqual([
      ['ann', 'owner'],
      ['bob', 'admin'],
    ])
  })

  test('are rejected with an invalid role or name', async () => {
    const id = await made('Picky')
    await expect(teamspaces.addMember(id, 'eve', 'root' as 'admin')).rejects.toThrow(
      'The role of a member must be one of owner, admin, developer.',
    )
    await expect(teamspaces.addMember(id, 'e\nve', 'admin')).rejects.toThrow('The name of the member must be one line')
    expect(await teamspaces.members(id)).toEqual([])
  })

  test('include an owner at all times, also when two owners step down at the same moment', async () => {
    const id = await made('Last owner')
    for (const user of ['ann', 'bob']) await teamspaces.addMember(id, user, 'owner')
    const steps = await Promise.allSettled(['ann', 'bob'].map((user) => teamspaces.addMember(id, user, 'developer')))
    expect(steps.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [rejected] = steps.filter((step) => step.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ code: 'validation_error', message: expect.stringContaining('is the last owner') })
    expect((await teamspaces.members(id)).map(({ role }) => role).sort()).toEqual(['developer', 'owner'])
  })
})

describe('a key', () => {
  test('is shown once and stored only as its hash', async () => {
    const team = await made('Keys')
    const { id, key } = await teamspaces.createKey(team, { ...by, name: 'ci', scope: 'read', role: 'developer' })
    expect(key.startsWith(keyPrefixes.hosted) && isWellFormedKey(key)).toBe(true)
    expect(id).toBe(hashApiKey(key).slice(0, 16))
    expect(await teamspaces.findKey(key)).toEqual({ id, teamspace: team, role: 'developer', scope: 'read' })
    expect(JSON.stringify(await everything())).not.toContain(key.slice(16))
    expect(await teamspaces.listKeys(team)).toEqual([
      {
        id,
        name: 'ci',
        prefix: `${key.slice(0, 14)}…`,
        createdAt: expect.any(String),
        ...by,
        holder: null,
        role: 'developer',
        scope: 'read',
        usedDay: expect.stringMatching(/^2030-/),
        revokedAt: null,
      },
    ])
  })

  test('is invalid immediately and permanently after it is revoked', async () => {
    const team = await made('Ended')
    const first = await teamspaces.createKey(team, by)
    const second = await teamspaces.createKey(team, by)
    expect(await teamspaces.teamspaceOfKey(first.id)).toBe(team)
    expect(await teamspaces.revokeKey(first.id)).toBe(true)
    const [revoked] = await teamspaces.listKeys(team)
    expect(await teamspaces.revokeKey(first.id)).toBe(true)
    expect(await teamspaces.findKey(first.key)).toBeUndefined()
    expect(await teamspaces.findKey(second.key)).toMatchObject({ id: second.id, teamspace: team })
    expect(await teamspaces.listKeys(team)).toEqual([
      expect.objectContaining({ id: first.id, revokedAt: revoked?.revokedAt }),
      expect.objectContaining({ id: second.id, revokedAt: null }),
    ])
    expect(revoked?.revokedAt).toMatch(/^2030-/)
  })

  test('has its day of use written once per day, and is valid if that write fails', async () => {
    const team = await made('Used')
    let fails = false
    const faulty = faultyTable(table, (_, command) => (fails && isWrite(command) ? down : undefined))
    let today = '2030-03-01T10:00:00Z'
    const used = dynamoTeamspaces({ table: faulty, now: () => new Date(today) })
    const { key } = await used.createKey(team, by)
    const daysAfter = async (uses: number) => {
      faulty.commands.length = 0
      for (let n = 0; n < uses; n++) expect(await used.findKey(key)).toMatchObject({ teamspace: team })
      return [faulty.commands.filter(isWrite).length, (await used.listKeys(team))[0]?.usedDay]
    }
    expect(await daysAfter(3)).toEqual([1, '2030-03-01'])
    today = '2030-03-02T00:00:00Z'
    fails = true
    expect(await daysAfter(2)).toEqual([2, '2030-03-01'])
    fails = false
    expect(await daysAfter(2)).toEqual([1, '2030-03-02'])
    today = '2030-03-01T23:59:59Z'
    expect(await daysAfter(2)).toEqual([0, '2030-03-02'])
  })

  test('keeps its expiry where DynamoDB deletes nothing by it', async () => {
    const team = await made('Expiring')
    const expiresAt = '2030-06-01T00:00:00.000Z'
    const { id, key } = await teamspaces.createKey(team, { ...by, expiresAt })
    expect(await teamspaces.findKey(key)).toMatchObject({ expiresAt })
    const stored = (await everything()).filter(({ pk, sk }) => pk === `KEY#${id}` || sk === `KEY#${id}`)
    expect(stored.map((item) => 'expiresAt' in item)).toEqual([false, false])
  })

  test('cannot be revoked if it is unknown', async () => {
    for (const id of ['0123456789abcdef', 'x'.repeat(5000), '']) {
      expect(await teamspaces.revokeKey(id)).toBe(false)
      expect(await teamspaces.teamspaceOfKey(id)).toBeUndefined()
    }
  })

  test('is rejected without a read if it is mistyped, or of the other half', async () => {
    const team = await made('Typo')
    const { key } = await teamspaces.createKey(team, by)
    await teamspaces.findKey(key)
    day--
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
    expect(await teamspaces.findKey(key)).toMatchObject({ teamspace: team })
    expect(send).toHaveBeenCalledTimes(1)
    send.mockRestore()
  })

  test('is unknown if it is well formed but was never created', async () => {
    expect(await teamspaces.findKey(makeApiKey(keyPrefixes.hosted))).toBeUndefined()
  })

  test('is unknown if only the beginning of its hash matches', async () => {
    const { key, id } = await teamspaces.createKey(await made('Alike'), by)
    const items = await everything()
    const stored = items.find(({ pk }) => pk === `KEY#${id}`)
    expect(stored?.hash).toBe(hashApiKey(key))
    await table.db.send(new PutCommand({ TableName: table.name, Item: { ...stored, hash: `${id}${'0'.repeat(48)}` } }))
    expect(await teamspaces.findKey(key)).toBeUndefined()
  })
})

describe('libraries', () => {
  test('are listed for the teamspace that owns them, until it loses them', async () => {
    const id = await made('Owner')
    await teamspaces.own(id, '/acme/widgets', 'added')
    await teamspaces.own(id, '/acme/gadgets', 'operator')
    await teamspaces.own(id, '/acme/gadgets', 'operator')
    expect(await teamspaces.owned(id)).toEqual(['/acme/gadgets', '/acme/widgets'])
    await teamspaces.disown(id, '/acme/gadgets')
    expect(await teamspaces.owned(id)).toEqual(['/acme/widgets'])
  })

  test('are all listed, also if they have more than a megabyte', async () => {
    const id = await made('Many')
    const keys = Array.from({ length: 600 }, (_, i) => `/acme/${'x'.repeat(900)}-${i}`)
    await Promise.all(keys.map((key) => teamspaces.own(id, key, 'added')))
    expect(await teamspaces.owned(id)).toEqual(keys.sort())
  })
})

test.each<[string, (id: string) => Promise<unknown>]>([
  ['members', (id) => teamspaces.members(id)],
  ['a new member', (id) => teamspaces.addMember(id, 'ann', 'owner')],
  ['a new key', (id) => teamspaces.createKey(id, by)],
  ['keys', (id) => teamspaces.listKeys(id)],
  ['ownership', (id) => teamspaces.own(id, '/acme/widgets', 'operator')],
  ['a new name', (id) => teamspaces.rename(id, 'Anybody')],
])('a request for %s of a missing or closed teamspace is rejected with team_not_found', async (_, ask) => {
  await expect(ask('nobody')).rejects.toThrow(noTeamspace('nobody'))
  const id = await made(`Closed ${day}`)
  await teamspaces.close(id)
  await expect(ask(id)).rejects.toThrow(noTeamspace(id))
})
