import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { runCarrel } from '../../fixtures/run-carrel.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const done = { code: 0, out: '', err: '' }

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir, input: 'correct horse\n' })

test('access and groups set, list and remove rules and members', async () => {
  await carrel('users', 'create', 'ada', '--role', 'admin')
  await carrel('users', 'create', 'mia')
  expect(await carrel('groups', 'create', 'Payments')).toEqual(done)
  expect(await carrel('groups', 'members', 'payments', '--set', 'mia', 'ada')).toEqual(done)
  expect((await carrel('groups', 'members', 'payments')).out).toBe('ada\nmia\n')
  expect((await carrel('groups', 'list')).out).toBe('payments\t2\n')
  expect(await carrel('access', 'set', '/payments/*', 'restricted', '--groups', 'payments', '--users', 'mia')).toEqual(done)
  expect(await carrel('access', 'set', '/*/*', 'internal')).toEqual(done)
  expect((await carrel('access', 'list')).out).toBe('/payments/*\trestricted\tpayments\tmia\n/*/*\tinternal\n')
  expect(JSON.parse((await carrel('access', 'list', '--json')).out)[1]).toEqual({
    pattern: '/*/*',
    access: 'internal',
    groups: [],
    users: [],
  })
  expect(await carrel('access', 'remove', '/*/*')).toEqual(done)
  expect(await carrel('groups', 'members', 'payments', '--none')).toEqual(done)
  expect(await carrel('groups', 'delete', 'payments')).toEqual(done)
  expect((await carrel('groups', 'list')).out).toBe('')
})

test.each([
  [['access', 'set', 'payments', 'internal'], 2, 'must be /owner/repo'],
  [['access', 'set', '/payments/*', 'secret'], 2, 'The access'],
  [['access', 'set', '/payments/*', 'restricted', '--users', 'nobody'], 1, '"nobody"'],
  [['access', 'remove', '/payments/*'], 1, 'There is no rule for /payments/*'],
  [['groups', 'create', 'a:b'], 2, 'must consist of letters'],
  [['groups', 'members', 'none'], 1, 'There is no group none'],
  [['keys', 'create', '--name', 'ci', '--scope', 'admin'], 2, '--scope admin needs --role admin'],
  [['keys', 'create', '--name', 'ci', '--role', 'admin', '--scope', 'admin', '--libraries', '/a/*'], 2, '--libraries'],
  [['keys', 'create', '--name', 'ci', '--libraries', 'acme'], 2, 'must be /owner/repo'],
  [['keys', 'create', '--name', 'ci', '--addresses', 'here'], 2, 'must be an address or a network'],
])('%j ends with exit code %i and says why', async (words, code, why) => {
  await carrel('users', 'create', 'ada', '--role', 'admin')
  expect(await carrel(...words)).toMatchObject({ code, err: expect.stringContaining(why) })
})

test('keys list shows the limits of a key', async () => {
  await carrel('keys', 'create', '--name', 'ci', '--scope', 'read', '--libraries', '/Acme/*', '--addresses', '10.0.0.0/8')
  expect((await carrel('keys', 'list')).out).toMatch(/\tscope read; libraries \/acme\/\*; addresses 10\.0\.0\.0\/8\n$/)
})
