import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type KeyStore, NewKey, sqliteKeys } from '../../../onprem/accounts/key-store.ts'
import { makeApiKey } from '../../../shared/keys/api-key.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

let time: string
let keys: KeyStore
let stored: () => string

beforeEach(() => {
  time = '2030-01-01T00:00:00.000Z'
  const db = openDatabase(tempDir())
  onTestFinished(() => db.close())
  keys = sqliteKeys(db, () => new Date(time))
  stored = () => JSON.stringify(db.prepare('SELECT * FROM keys').all())
})

describe('a stored key', () => {
  test('identifies its holder', () => {
    const { id, key } = keys.create({ name: 'laptop', role: 'member' })
    expect(keys.find(key)).toEqual({ id, name: 'laptop', role: 'member', userId: null, username: null })
  })

  test.each([
    [{ role: 'admin' }, { role: 'admin', readsAll: true }],
    [
      { role: 'admin', scope: 'add' },
      { role: 'member', readsAll: true },
    ],
    [
      { role: 'admin', scope: 'read' },
      { role: 'member', readsAll: true, readOnly: true },
    ],
    [
      { role: 'admin', libraries: ['/acme/*'] },
      { role: 'member', readsAll: true, libraries: ['/acme/*'] },
    ],
    [{ role: 'member', scope: 'admin' }, { role: 'member' }],
    [
      { role: 'member', scope: 'read', addresses: ['10.0.0.0/8'] },
      { role: 'member', readOnly: true, addresses: ['10.0.0.0/8'] },
    ],
  ] as const)('gives its holder the rights of its limits: %j, %j', (limits, rights) => {
    const { id, key } = keys.create({ name: 'laptop', ...(limits as Pick<typeof limits, 'role'>) })
    expect(keys.find(key)).toEqual({ id, name: 'laptop', userId: null, username: null, ...rights })
  })

  test('is returned only once: it is neither stored nor listed', () => {
    const { id, key, prefix } = keys.create({ name: 'laptop', role: 'admin', expiresAt: new Date('2031-01-01') })
    expect(stored()).not.toContain(key.slice(prefix.length))
    expect(keys.list()).toEqual([
      {
        id,
        name: 'laptop',
        prefix: `${key.slice(0, 14)}…`,
        role: 'admin',
        scope: null,
        libraries: null,
        addresses: null,
        userId: null,
        username: null,
        createdAt: '2030-01-01T00:00:00.000Z',
        expiresAt: '2031-01-01T00:00:00.000Z',
        lastUsedAt: null,
      },
    ])
  })

  test.each(['', 'hello', makeApiKey('carrel_op_'), makeApiKey('carrel_sk_')])('is not found for "%s"', (other) => {
    keys.create({ name: 'laptop', role: 'member' })
    expect(keys.find(other)).toBeUndefined()
  })

  test('stops working when it expires, and stays listed', () => {
    const { key } = keys.create({ name: 'laptop', role: 'member', expiresAt: new Date('2030-01-02') })
    time = '2030-01-01T23:59:59.999Z'
    expect(keys.find(key)?.name).toBe('laptop')
    time = '2030-01-02T00:00:00.000Z'
    expect(keys.find(key)).toBeUndefined()
    expect(keys.list()).toHaveLength(1)
  })

  test('is invalid immediately after it is revoked, and others stay valid', () => {
    const gone = keys.create({ name: 'gone', role: 'member' })
    const kept = keys.create({ name: 'kept', role: 'member' })
    expect(keys.revoke(gone.id)).toBe(true)
    expect(keys.find(gone.key)).toBeUndefined()
    expect(keys.find(kept.key)?.name).toBe('kept')
    expect(keys.list().map(({ name }) => name)).toEqual(['kept'])
    expect(keys.revoke(gone.id)).toBe(false)
  })

  test('records its last use, to the minute', () => {
    const { key } = keys.create({ name: 'laptop', role: 'member' })
    const lastUsed = () => keys.list()[0]?.lastUsedAt
    const use = (at: string) => {
      time = at
      keys.find(key)
      return lastUsed()
    }
    expect(use('2030-01-01T10:00:00.000Z')).toBe('2030-01-01T10:00:00.000Z')
    expect(use('2030-01-01T10:00:59.999Z')).toBe('2030-01-01T10:00:00.000Z')
    expect(use('2030-01-01T10:01:00.000Z')).toBe('2030-01-01T10:01:00.000Z')
  })

  test('works even if its last use cannot be recorded', () => {
    const dataDir = tempDir()
    const db = openDatabase(dataDir)
    const { key } = sqliteKeys(db, () => new Date(time)).create({ name: 'laptop', role: 'member' })
    db.exec('PRAGMA query_only = true')
    expect(sqliteKeys(db, () => new Date(time)).find(key)?.name).toBe('laptop')
    db.close()
  })
})

describe('the input for a new key', () => {
  test('is a name and optionally the day or time when it expires', () => {
    expect(NewKey.parse({ name: ' laptop ', expiresAt: '2030-01-31' })).toEqual({
      name: 'laptop',
      expiresAt: new Date('2030-01-31'),
    })
    expect(NewKey.parse({ name: 'x', expiresAt: '2030-01-31T12:00:00+02:00' }).expiresAt).toEqual(
      new Date('2030-01-31T10:00:00Z'),
    )
  })

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: 'a\tb' }],
    [{ name: 'a\nb' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 'x', expiresAt: 'tomorrow' }],
    [{ name: 'x', expiresAt: '2030-02-30' }],
    [{ name: 'x', expiresAt: '31.01.2030' }],
  ])('is not %j', (input) => {
    expect(NewKey.safeParse(input).success).toBe(false)
  })
})
