import { beforeEach, describe, expect, test } from 'vitest'
import type { Sessions } from '../../../../functions/access/sessions.ts'
import type { Users } from '../../../../functions/access/users.ts'
import { dynamoFlows } from '../../../../functions/dynamo/accounts/dynamo-flows.ts'
import { dynamoSessions } from '../../../../functions/dynamo/accounts/dynamo-sessions.ts'
import { dynamoUsers } from '../../../../functions/dynamo/accounts/dynamo-users.ts'
import { allItems } from '../../../../functions/dynamo/table.ts'
import { type TestDynamo, testDynamo } from '../../../fixtures/dynamo.ts'

const dayMs = 86_400_000
let table: TestDynamo
let sessions: Sessions
let users: Users
let nowMs: number
const now = () => new Date(nowMs)

beforeEach(async () => {
  nowMs = Date.parse('2026-03-01T12:00:00Z')
  table = await testDynamo()
  sessions = dynamoSessions({ table, now })
  users = dynamoUsers({ table, now })
})

const identity = (sub: string, email: string) => ({ issuer: 'https://issuer.example.com', sub, email, name: sub })

describe('a session', () => {
  test('ends two weeks after its last use', async () => {
    const { token } = await sessions.begin('ann', 'test')
    for (let uses = 0; uses < 3; uses++) {
      nowMs += 13 * dayMs
      expect(await sessions.find(token)).toMatchObject({ user: 'ann' })
    }
    nowMs += 14 * dayMs
    expect(await sessions.find(token)).toBeUndefined()
    expect(await sessions.list('ann')).toEqual([])
  })

  test('ends after 90 days, however it is used', async () => {
    const { token, endsAt } = await sessions.begin('ann', 'test')
    for (; nowMs + dayMs < endsAt.getTime(); nowMs += dayMs) expect(await sessions.find(token)).toBeDefined()
    expect(nowMs - Date.parse('2026-03-01T12:00:00Z')).toBe(89 * dayMs)
    nowMs += dayMs
    expect(await sessions.find(token)).toBeUndefined()
  })

  test('ends with those of everybody', async () => {
    const tokens = [await sessions.begin('ann', 'test'), await sessions.begin('bob', 'test')].map(({ token }) => token)
    const user = await users.signIn(identity('ann', 'ann@example.com'))
    await sessions.clear()
    for (const token of tokens) expect(await sessions.find(token)).toBeUndefined()
    expect(await allItems(table, 'USER#ann')).toEqual([])
    expect(await users.get(user.id)).toEqual(user)
  })

  test('is stored without its token', async () => {
    const { token } = await sessions.begin('ann', 'test')
    const { id = '' } = (await sessions.find(token)) ?? {}
    const items = [...(await allItems(table, `SESSION#${id}`)), ...(await allItems(table, 'USER#ann'))]
    expect(items).toHaveLength(2)
    expect(JSON.stringify(items)).not.toContain(token)
    expect(id).not.toContain(token)
  })

  test('writes its use once a day', async () => {
    const { token } = await sessions.begin('ann', 'test')
    nowMs += dayMs
    await sessions.find(token)
    expect(await sessions.list('ann')).toMatchObject([{ seenDay: '2026-03-02', agent: 'test' }])
  })

  test.each(['', 'x', 'x'.repeat(43), 'x'.repeat(5_000), '__proto__'])('is not found by %j', async (token) => {
    await sessions.begin('ann', 'test')
    expect(await sessions.find(token)).toBeUndefined()
  })

  test('is ended only by its user', async () => {
    const { token } = await sessions.begin('ann', 'test')
    const { id = '' } = (await sessions.find(token)) ?? {}
    for (const [user, wrong] of [
      ['bob', id],
      ['ann', ''],
      ['ann', `${id}0`],
    ] as const)
      expect(await sessions.end(user, wrong)).toBe(false)
    expect(await sessions.end('ann', id)).toBe(true)
    expect(await sessions.find(token)).toBeUndefined()
    expect(await sessions.list('ann')).toEqual([])
  })

  test('keeps only the beginning of a long user agent', async () => {
    await sessions.begin('ann', 'a'.repeat(10_000))
    const [{ agent = '' } = {}] = await sessions.list('ann')
    expect(agent).toHaveLength(200)
  })
})

describe('a sign-in that has begun', () => {
  const flow = { verifier: 'v', state: 's', nonce: 'n', next: '/' }

  test('is taken once, also by two requests at the same time', async () => {
    const flows = dynamoFlows({ table, now })
    const { token } = await flows.begin(flow)
    const taken = await Promise.all([flows.take(token), flows.take(token), flows.take(token)])
    expect(taken.filter((each) => each !== undefined)).toEqual([flow])
  })

  test('ends after ten minutes', async () => {
    const flows = dynamoFlows({ table, now })
    const { token } = await flows.begin(flow)
    nowMs += 10 * 60_000
    expect(await flows.take(token)).toBeUndefined()
  })
})

describe('a user', () => {
  test('keeps the id, and has the address and the name of the last sign-in', async () => {
    const { id } = await users.signIn(identity('ann', 'Ann@Example.com'))
    await users.signIn({ ...identity('ann', 'ann@new.example.com'), name: 'Ann B.' })
    expect(await users.get(id)).toEqual({
      id,
      email: 'ann@new.example.com',
      name: 'Ann B.',
      createdAt: '2026-03-01T12:00:00.000Z',
    })
  })

  test('frees an address by taking another', async () => {
    const { id } = await users.signIn(identity('ann', 'ann@example.com'))
    await users.signIn(identity('ann', 'new@example.com'))
    const bob = await users.signIn(identity('bob', 'ANN@example.com'))
    expect(bob.id).not.toBe(id)
    expect(await users.get(id)).toMatchObject({ email: 'new@example.com' })
  })

  test('is not another person who has the address now', async () => {
    await users.signIn(identity('ann', 'ann@example.com'))
    await expect(users.signIn(identity('eve', 'ANN@example.com'))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(users.signIn({ ...identity('ann', 'ann@example.com'), issuer: 'https://evil.example.com' })).rejects.toThrow(
      'belongs to another account',
    )
  })

  test('gets an address that a crash left to somebody who was never created', async () => {
    const { db, name: TableName } = table
    const { PutCommand } = await import('@aws-sdk/lib-dynamodb')
    await db.send(
      new PutCommand({
        TableName,
        Item: { pk: 'EMAIL#ann@example.com', sk: 'USER', user: 'nobody', takenAt: now().toISOString() },
      }),
    )
    await expect(users.signIn(identity('ann', 'ann@example.com'))).rejects.toMatchObject({ code: 'forbidden' })
    nowMs += 61_000
    expect(await users.signIn(identity('ann', 'ann@example.com'))).toMatchObject({ email: 'ann@example.com' })
  })

  test('gets an address alone when three people sign in with it at the same time', async () => {
    const attempts = ['ann', 'eve', 'bob'].map((sub) => users.signIn(identity(sub, 'team@example.com')))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
