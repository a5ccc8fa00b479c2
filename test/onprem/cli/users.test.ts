import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sqliteAudit } from '../../../onprem/accounts/audit-log.ts'
import { initialPasswordFile } from '../../../onprem/accounts/ensure-initial-credentials.ts'
import { sqliteKeys } from '../../../onprem/accounts/key-store.ts'
import { scryptPasswords } from '../../../onprem/accounts/passwords.ts'
import { sqliteUsers } from '../../../onprem/accounts/user-store.ts'
import { sqliteFactors } from '../../../onprem/second-factor/factor-store.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { openDatabase } from '../../../shared/store/database.ts'
import { openDataDir } from '../../../shared/store/open-data-dir.ts'
import { runCarrel, runCarrelProcess, runOnTerminal, startOnTerminal } from '../../fixtures/run-carrel.ts'
import { startServer } from '../../fixtures/server-process.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const password = 'correct horse'
const done = { code: 0, out: '', err: '' }

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

const users = (...words: string[]) => runCarrel(['users', ...words], { dataDir, input: `${password}\n` })

function stores() {
  const db = openDatabase(openDataDir(dataDir))
  onTestFinished(() => db.close())
  return {
    users: sqliteUsers(db, () => new Date()),
    keys: sqliteKeys(db, () => new Date()),
    audit: sqliteAudit(db, () => new Date()),
    factors: sqliteFactors(db, secretBox(dataDir), () => new Date()),
  }
}

test('create, list, set and delete manage users, and the audit log has each change but no password', async () => {
  const words = ['users', 'create', 'Ada', '--role', 'admin']
  expect(await runCarrelProcess(words, { dataDir, input: `${password}\n` })).toEqual(done)
  expect(await users('create', 'mia@example.com')).toEqual(done)
  const store = stores()
  expect(await scryptPasswords.verify(password, store.users.hashOfName('ada') ?? '')).toBe(true)

  expect(await users('set', 'mia@example.com', '--role', 'admin', '--rename', 'Mia', '--disable')).toEqual(done)
  const [ada, mia] = store.users.list()
  expect((await users('list')).out).toBe(
    [
      [ada?.id, 'ada', 'admin', 'must change password', ada?.createdAt, 'never', 'no'].join('\t'),
      [mia?.id, 'mia', 'admin', 'disabled', mia?.createdAt, 'never', 'no'].join('\t'),
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await users('list', '--json')).out)).toEqual([ada, mia])
  expect((await runOnTerminal(['users', 'list'], { dataDir })).screen).toMatch(
    /^ID +NAME +ROLE +STATE +CREATED +LAST SIGN-IN +SECOND FACTOR\n/,
  )

  const key = store.keys.create({ name: 'agent', role: 'member', userId: mia?.id ?? '' })
  expect(await users('set', 'MIA', '--enable', '--password')).toEqual(done)
  expect(store.keys.find(key.key)).toBeDefined()
  expect(await users('set', 'MIA', '--password', '--revoke-keys')).toEqual(done)
  expect(store.keys.find(key.key)).toBeUndefined()
  expect(await users('delete', 'mia')).toEqual(done)
  expect(store.users.list()).toMatchObject([{ username: 'ada' }])

  const { entries } = store.audit.list(1, 20)
  expect(entries.map(({ actor, action, subject }) => `${actor}: ${action} ${subject}`).reverse()).toEqual([
    'command line: user.create ada',
    'command line: user.create mia@example.com',
    'command line: user.role mia@example.com',
    'command line: user.username mia@example.com',
    'command line: user.disabled mia@example.com',
    'command line: user.disabled mia',
    'command line: user.password mia',
    'command line: user.revokeKeys mia',
    'command line: user.password mia',
    'command line: user.delete mia',
  ])
  expect(JSON.stringify(entries)).not.toContain(password)
})

test('a running server accepts the sign-in of a new user, and ends the sessions of a disabled one', async () => {
  openDataDir(dataDir)
  const { url } = await startServer({ dataDir, key: '' })
  expect(await users('create', 'mia')).toEqual(done)
  const post = (path: string, body: object, cookie = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(body),
    })
  const cookieOf = (answer: Response) => answer.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
  const signIn = () => post('/api/auth/session/sign-in/username', { username: 'mia', password })
  const signedIn = await signIn()
  expect(signedIn.status).toBe(200)
  const own = { username: 'mia', password: `${password} of mine` }
  const cookie = cookieOf(await post('/api/account/credentials', own, cookieOf(signedIn)))
  const keys = () => fetch(`${url}/api/keys`, { headers: { cookie } })
  expect((await keys()).status).toBe(200)
  expect(await users('set', 'mia', '--disable')).toEqual(done)
  expect((await keys()).status).toBe(401)
  expect((await post('/api/auth/session/sign-in/username', own)).status).toBe(403)
})

test('a second factor that is lost is removed on the machine of the server, and all sessions end', async () => {
  expect(await users('create', 'mia', '--role', 'admin')).toEqual(done)
  const { users: store, audit, factors } = stores()
  const id = store.list()[0]?.id ?? ''
  factors.setApp(id, 'JBSWY3DPEHPK3PXP', 0)
  factors.renewRecoveryCodes(id)
  expect((await users('list')).out).toMatch(/\tyes\n$/)
  expect(await users('set', 'mia', '--remove-second-factor')).toEqual(done)
  expect(store.find(id)?.hasSecondFactor).toBe(false)
  expect([factors.app(id), factors.recoveryCodes(id)]).toEqual([undefined, 0])
  expect(audit.list(1, 1).entries).toMatchObject([{ actor: 'command line', action: 'user.removeSecondFactor', subject: 'mia' }])
  expect(await users('set', 'mia', '--remove-second-factor')).toMatchObject({
    code: 1,
    err: expect.stringContaining('mia has no second factor.'),
  })
})

test('a new password of the first user deletes the file with the initial one', async () => {
  const { users: store } = stores()
  store.setInitial(await scryptPasswords.hash('initial password'))
  writeFileSync(initialPasswordFile(dataDir), 'initial password\n')
  expect((await users('list')).out).toContain('\tadmin\tadmin\tinitial password\t')
  expect(await users('set', 'admin', '--password')).toEqual(done)
  expect(existsSync(initialPasswordFile(dataDir))).toBe(false)
  expect((await users('list')).out).toContain('\tadmin\tadmin\tmust change password\t')
})

describe('a password on a terminal', () => {
  const type = async (first: string, second: string) => {
    const child = startOnTerminal(['users', 'create', 'ada', '--role', 'admin'], { dataDir })
    let screen = ''
    child.stdout.on('data', (part) => {
      screen += part
      if (screen === 'New password of ada: ') child.stdin.write(`${first}\r`)
      if (screen.endsWith('Repeat it: ')) child.stdin.write(`${second}\r`)
    })
    const [code] = await once(child, 'exit')
    return { code, screen: screen.replaceAll('\r\n', '\n') }
  }

  test('is entered twice and not shown', async () => {
    expect(await type(password, password)).toEqual({ code: 0, screen: 'New password of ada: \nRepeat it: \n✓ ada is created.\n' })
    expect(await scryptPasswords.verify(password, stores().users.hashOfName('ada') ?? '')).toBe(true)
  })

  test('is rejected if the two entries differ', async () => {
    expect(await type(password, 'wrong horse')).toEqual({
      code: 1,
      screen: 'New password of ada: \nRepeat it: \ncarrel: The two entries differ. Nothing was changed; try again.\n',
    })
    expect(stores().users.list()).toEqual([])
  })
})

test.each([
  ['create', 2, "missing required argument 'name'; add --help for usage."],
  ['create a\tb --role admin', 2, 'The user name must be one line without control characters.'],
  ['create -x', 2, "unknown option '-x'; add --help for usage."],
  ['create mia --role boss', 2, "option '--role <role>' argument 'boss' is invalid. Allowed choices are admin, member."],
  ['create mia --password x', 2, "unknown option '--password'; add --help for usage."],
  ['create ada', 1, 'The user name ada is taken. Choose another one.'],
  [
    'set ada',
    2,
    'Name what to change: --role, --password, --revoke-keys, --rename, --host-accounts, --disable, --enable, --remove-second-factor or --end-sessions.',
  ],
  ['set ada --disable --enable', 2, "option '--disable' cannot be used with option '--enable'; add --help for usage."],
  ['set nobody --enable', 1, 'There is no user "nobody"; "users list" shows them.'],
  ['set ada --role member', 1, 'This is the last admin. Make another user an admin first.'],
  ['set ada --disable', 1, 'This is the last admin. Make another user an admin first.'],
  ['delete ada', 1, 'This is the last admin. Make another user an admin first.'],
  ['remove ada', 2, "unknown command 'remove'; add --help for usage."],
])('users %s fails with exit code %i and one line with the reason', async (words, code, message) => {
  stores().users.create({ username: 'ada', role: 'admin', hash: '' })
  expect(await users(...words.split(' '))).toEqual({ code, out: '', err: `carrel: ${message}\n` })
})

test('a short password is rejected, and the first user must be an admin', async () => {
  const short = { dataDir, input: 'short' }
  expect(await runCarrel(['users', 'create', 'ada', '--role', 'admin'], short)).toEqual({
    code: 2,
    out: '',
    err: 'carrel: The password must have at least 8 characters.\n',
  })
  expect((await users('create', 'mia')).err).toBe(
    'carrel: The first user must be an admin. Add --role admin, or start the server once: it creates "admin".\n',
  )
  expect(stores().users.list()).toEqual([])
})
