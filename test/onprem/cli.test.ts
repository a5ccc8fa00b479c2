import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { sqliteAudit } from '../../onprem/accounts/audit-log.ts'
import { sqliteKeys } from '../../onprem/accounts/key-store.ts'
import { sqliteUsers } from '../../onprem/accounts/user-store.ts'
import { isWellFormedKey } from '../../shared/keys/api-key.ts'
import { secretBox } from '../../shared/settings/secret-box.ts'
import { secretNames, settingNames } from '../../shared/settings/settings.ts'
import { openDatabase } from '../../shared/store/database.ts'
import { openDataDir } from '../../shared/store/open-data-dir.ts'
import { sqliteSettings } from '../../shared/store/settings-store.ts'
import { childEnv } from '../../shared/system/child-env.ts'
import { runCarrel, runCarrelProcess } from '../fixtures/run-carrel.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const now = () => new Date()

const execute = promisify(execFile)

let dataDir: string
beforeEach(() => {
  dataDir = join(tempDir(), 'data')
})

const carrel = (...words: string[]) => runCarrel(words, { dataDir })
/** The real entry, once per group of commands. */
const carrelProcess = (...words: string[]) => runCarrelProcess(words, { dataDir })

/** The environment of the server of this install. */
function install() {
  const db = openDatabase(openDataDir(dataDir))
  onTestFinished(() => db.close())
  return {
    keys: sqliteKeys(db, now),
    users: sqliteUsers(db, now),
    audit: sqliteAudit(db, now),
    settings: sqliteSettings(db, secretBox(dataDir)),
  }
}

describe('carrel keys', () => {
  test('create prints only the key, and a running server accepts it immediately', async () => {
    const { keys } = install()
    const words = ['run', '-s', 'carrel', '--', 'keys', 'create', '--name', 'laptop']
    const { PATH } = process.env
    const { stdout: out, stderr } = await execute('npm', words, { cwd: root, env: { PATH, DATA_DIR: dataDir, ...childEnv() } })
    expect(stderr).toBe('')
    expect(out.endsWith('\n') && isWellFormedKey(out.slice(0, -1))).toBe(true)
    expect(keys.find(out.trim())).toMatchObject({ name: 'laptop', role: 'member' })
  })

  test('create creates an admin key that expires', async () => {
    await carrel('keys', 'create', '--name', 'ops', '--role', 'admin', '--expires', '2999-01-31')
    expect(install().keys.list()).toMatchObject([{ name: 'ops', role: 'admin', expiresAt: '2999-01-31T00:00:00.000Z' }])
  })

  test('list prints one line per key: id, name, prefix, role, created, last used, expires', async () => {
    const { keys } = install()
    const first = keys.create({ name: 'first key', role: 'admin' })
    const second = keys.create({ name: 'second', role: 'member' })
    keys.find(second.key)
    const listed = keys.list()
    expect(await carrel('keys', 'list')).toEqual({
      code: 0,
      out: [
        `${first.id}\tfirst key\t${first.prefix}\tadmin\t${listed[0]?.createdAt}\tnever\tnever\n`,
        `${second.id}\tsecond\t${second.prefix}\tmember\t${listed[1]?.createdAt}\t${listed[1]?.lastUsedAt}\tnever\n`,
      ].join(''),
      err: '',
    })
  })

  test('list shows the user of a key after the other columns', async () => {
    const { keys, users } = install()
    const userId = users.create({ username: 'mia', role: 'member', hash: '' })
    const { id } = keys.create({ name: 'laptop', role: 'member', userId })
    const { out } = await carrel('keys', 'list')
    expect(out).toMatch(new RegExp(`^${id}\\tlaptop\\t.*\\tmember\\t.*\\tnever\\tmia\\n$`))
  })

  test('changes are in the audit log, without keys', async () => {
    const { audit, keys } = install()
    const { out } = await carrel('keys', 'create', '--name', 'laptop')
    const [{ id, prefix } = { id: '', prefix: '' }] = keys.list()
    await carrel('keys', 'revoke', id)
    await carrel('keys', 'revoke', id)
    const { entries } = audit.list(1, 10)
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['command line', 'key.revoke', `laptop (${prefix})`],
      ['command line', 'key.create', `laptop (${prefix})`],
    ])
    expect(JSON.stringify(entries)).not.toContain(out.trim())
  })

  test('revoke ends a key immediately', async () => {
    const { keys } = install()
    const { id, key } = keys.create({ name: 'laptop', role: 'member' })
    expect(await carrel('keys', 'revoke', id)).toEqual({ code: 0, out: '', err: '' })
    expect(keys.find(key)).toBeUndefined()
  })
})

describe('carrel settings', () => {
  test.each(['get', 'set', 'unset'])('%s --help lists every name with its meaning', async (command) => {
    const { code, out, err } = await carrel('settings', command, '--help')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const listed = [...out.matchAll(/^ {2}(\w+\.\w+) {2,}\S.+$/gm)].map(([, name]) => name)
    expect(listed).toEqual(expect.arrayContaining([...settingNames, ...secretNames]))
  })

  test('set changes what a running server reads, and get prints it', async () => {
    const { settings } = install()
    expect(await carrelProcess('settings', 'set', 'permissions.anonymousParse', 'true')).toEqual({ code: 0, out: '', err: '' })
    expect(settings.get('permissions.anonymousParse')).toBe(true)
    expect(await carrel('settings', 'get', 'permissions.anonymousParse')).toEqual({ code: 0, out: 'true\n', err: '' })
  })

  test('set records the setting and the dropped secrets in the audit log, but no value', async () => {
    const { audit, settings } = install()
    settings.change({ 'permissions.privateChosen': true })
    await runCarrel(['settings', 'set', 'github.token', '-'], { dataDir, input: 'sesame-0123\n' })
    await carrel('settings', 'set', 'github.baseUrl', 'https://git.example.com')
    await carrel('settings', 'set', 'permissions.anonymousParse', 'perhaps')
    const { entries } = audit.list(1, 10)
    expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ['command line', 'setting.drop', 'github.token'],
      ['command line', 'setting.change', 'github.baseUrl'],
      ['command line', 'setting.change', 'github.token'],
    ])
  })

  test('set with null clears, get prints null for an unset setting', async () => {
    const { settings } = install()
    settings.change({ 'llm.model': 'm' })
    expect((await carrel('settings', 'set', 'llm.model', 'null')).code).toBe(0)
    expect(await carrel('settings', 'get', 'llm.model')).toEqual({ code: 0, out: 'null\n', err: '' })
  })

  test('unset restores the default and records the change, and get prints that default', async () => {
    const { settings, audit } = install()
    settings.change({ 'permissions.anonymousParse': true })
    expect(await carrel('settings', 'unset', 'permissions.anonymousParse')).toEqual({ code: 0, out: '', err: '' })
    expect(await carrel('settings', 'get', 'permissions.anonymousParse')).toEqual({ code: 0, out: 'false\n', err: '' })
    expect(audit.list(1, 10).entries).toMatchObject([
      { actor: 'command line', action: 'setting.change', subject: 'permissions.anonymousParse' },
    ])
  })

  test('list shows values, defaults, allowed values, and the address that a secret is bound to', async () => {
    const { settings } = install()
    settings.change({
      'github.baseUrl': 'https://ghe.example.com',
      'github.token': 'ghp_0123456789',
      'llm.provider': 'custom',
      'llm.baseUrl': 'http://10.0.0.5:11434/v1',
      'llm.apiKey': 'sk-0123abcd',
    })
    const { code, out, err } = await carrel('settings', 'list')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => line.split('\t')[0])).toEqual([...settingNames, ...secretNames])
    expect(lines).toEqual(
      expect.arrayContaining([
        'github.baseUrl\thttps://ghe.example.com\tset\tan https address',
        'gitlab.baseUrl\thttps://gitlab.com\tdefault\tan https address',
        'llm.provider\tcustom\tset\tbedrock, openai, anthropic, gemini, custom',
        'permissions.requireMcpAuth\tfalse\tdefault\ttrue or false',
        'embedding.dimensions\t-\tunset\t1 to 16384',
        'github.token\tset, ends in 6789, for https://ghe.example.com\tset\ta secret',
        'llm.apiKey\tset, ends in abcd, for custom at http://10.0.0.5:11434/v1\tset\ta secret',
        'gitlab.token\t-\tunset\ta secret',
      ]),
    )
    const json = JSON.parse((await carrel('settings', 'list', '--json')).out)
    expect(json).toEqual(
      expect.arrayContaining([
        {
          name: 'github.token',
          value: { set: true, last4: '6789' },
          state: 'set',
          allowed: 'a secret',
          boundTo: 'https://ghe.example.com',
        },
        { name: 'permissions.requireMcpAuth', value: false, state: 'default', allowed: 'true or false' },
      ]),
    )
    expect(out + JSON.stringify(json)).not.toMatch(/ghp_|\bsk-/)
  })

  test('set reads a secret from standard input, without the line end; get prints at most its last four characters', async () => {
    install().settings.change({ 'permissions.privateChosen': true })
    const words = ['settings', 'set', 'github.token', '-']
    expect(await runCarrelProcess(words, { dataDir, input: 'ghp_0123456789\n' })).toEqual({ code: 0, out: '', err: '' })
    expect(install().settings.getSecret('github.token')).toBe('ghp_0123456789')
    expect(await carrel('settings', 'get', 'github.token')).toEqual({ code: 0, out: 'set, ends in 6789\n', err: '' })
    await runCarrel(words, { dataDir, input: 'short' })
    expect(await carrel('settings', 'get', 'github.token')).toEqual({ code: 0, out: 'set\n', err: '' })
    expect((statSync(join(dataDir, 'secrets.key')).mode & 0o777).toString(8)).toBe('600')
  })

  test('set does not clear a secret if standard input is empty', async () => {
    const { settings } = install()
    settings.change({ 'github.token': 'ghp_0123456789', 'permissions.privateChosen': true })
    expect(await carrel('settings', 'set', 'github.token', '-')).toEqual({
      code: 2,
      out: '',
      err: 'carrel: github.token must not be empty.\n',
    })
    expect(settings.getSecret('github.token')).toBe('ghp_0123456789')
  })

  test('set warns that a secret in the arguments is visible', async () => {
    install().settings.change({ 'permissions.privateChosen': true })
    expect(await carrel('settings', 'set', 'github.token', 'ghp_0123456789')).toEqual({
      code: 0,
      out: '',
      err: 'carrel: github.token was visible in the list of processes. Use "settings set github.token -" to read it from standard input.\n',
    })
  })

  test('set reports the secret that it dropped with its address', async () => {
    const { settings } = install()
    settings.change({ 'github.token': 'ghp_0123456789' })
    expect((await carrel('settings', 'set', 'github.baseUrl', 'https://ghe.example.com')).err).toBe(
      'carrel: github.token was deleted, because it belongs to the previous address. Set it again.\n',
    )
  })
})

describe('carrel license', () => {
  test('show prints the development license of a new install', async () => {
    install()
    const { code, out, err } = await carrelProcess('license', 'show')
    expect(out).toMatch(/^id\tdevelopment\ncustomer\tDevelopment\nkind\toffline\nexpires\t20\S+Z\ncloud url\t-\nteamspace\t-\n$/)
    expect({ code, err }).toEqual({
      code: 0,
      err: 'carrel: LICENSE_KEY is not set: this install uses a generated offline development license.\n',
    })
  })

  test('issue prints a license that this install accepts until it is revoked', async () => {
    const issued = await carrel(
      'license',
      'issue',
      '--kind',
      'online',
      '--customer',
      'ACME',
      '--cloud-url',
      'https://carrel.example.com/',
      '--teamspace',
      'acme',
    )
    expect(issued.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const id = /^carrel: license (\S+) for ACME, online, until/.exec(issued.err)?.[1] ?? ''
    const show = () => runCarrel(['license', 'show'], { dataDir, env: { LICENSE_KEY: issued.out } })
    expect((await show()).out).toMatch(
      new RegExp(
        `^id\t${id}\ncustomer\tACME\nkind\tonline\nexpires\t\\S+\ncloud url\thttps://carrel.example.com\nteamspace\tacme\n$`,
      ),
    )
    expect(await carrel('license', 'revoke', id)).toEqual({ code: 0, out: '', err: '' })
    expect(await show()).toEqual({ code: 1, out: '', err: `carrel: The license ${id} was revoked in this install.\n` })
  })

  test('keygen creates the key pairs of a vendor, which issue signs with, and never overwrites one', async () => {
    const out = join(dataDir, '..', 'pairs')
    const made = await carrel('license', 'keygen', '--out', out)
    const names = ['license.pem', 'license.pub.pem', 'bundle.pem', 'bundle.pub.pem']
    expect(made).toEqual({ code: 0, out: names.map((name) => `${join(out, name)}\n`).join(''), err: '' })
    expect(readdirSync(out).map((name) => [name, (statSync(join(out, name)).mode & 0o777).toString(8)])).toEqual([
      ['bundle.pem', '600'],
      ['bundle.pub.pem', '644'],
      ['license.pem', '600'],
      ['license.pub.pem', '644'],
    ])
    const before = readFileSync(join(out, 'license.pem'), 'utf8')
    expect(await carrel('license', 'keygen', '--out', out)).toEqual({
      code: 1,
      out: '',
      err: `carrel: --out: ${join(out, 'license.pem')} exists already; a key is never overwritten.\n`,
    })
    expect(readFileSync(join(out, 'license.pem'), 'utf8')).toBe(before)

    const issued = await carrel('license', 'issue', '--kind', 'offline', '--customer', 'ACME', '--key', join(out, 'license.pem'))
    const show = () => runCarrel(['license', 'show'], { dataDir, env: { LICENSE_KEY: issued.out } })
    expect((await show()).err).toBe(
      'carrel: The license in LICENSE_KEY is forged or damaged: it is not signed with a key that this install trusts.\n',
    )
    expect(await carrel('license', 'trust', join(out, 'license.pub.pem'))).toEqual({ code: 0, out: '', err: '' })
    expect((await show()).out).toContain('\ncustomer\tACME\n')
  })
})

describe('a mistake on the command line', () => {
  test.each([
    ['nope', "unknown command 'nope'; add --help for usage."],
    ['keys create', "required option '--name <name>' not specified; add --help for usage."],
    ['keys create --name x --role boss', "option '--role <role>' argument 'boss' is invalid. Allowed choices are admin, member."],
    ['keys create --name x --expires soon', '--expires must be a date such as 2030-01-31 or 2030-01-31T12:00:00Z.'],
    ['keys create --name x --expires 2020-01-01', '--expires must be in the future.'],
    ['keys create --name x --rol admin', "unknown option '--rol' (Did you mean --role?)"],
    ['keys lst', "unknown command 'lst' (Did you mean list?)"],
    ['keys revoke', "missing required argument 'id'; add --help for usage."],
    ['keys list 7', "too many arguments for 'list'. Expected 0 arguments but got 1: 7; add --help for usage."],
    [
      'settings get github.tokn',
      'There is no setting "github.tokn"; did you mean github.token? "settings get --help" lists all.',
    ],
    ['settings set nope 1', 'There is no setting "nope". "settings get --help" lists all.'],
    ['settings set permissions.anonymousParse yes', 'permissions.anonymousParse must be true or false.'],
    ['settings set llm.provider gpt', 'llm.provider must be one of bedrock, openai, anthropic, gemini, custom.'],
    ['settings set embedding.dimensions 0', 'embedding.dimensions must be a whole number from 1 to 16384.'],
    ['settings unset nope', 'There is no setting "nope". "settings get --help" lists all.'],
    ['settings unset', "missing required argument 'name'; add --help for usage."],
    ['settings list x', "too many arguments for 'list'. Expected 0 arguments but got 1: x; add --help for usage."],
    ['settings set llm.model', "missing required argument 'value'; add --help for usage."],
    ['license issue --customer x', "required option '--kind <kind>' not specified; add --help for usage."],
    ['license issue --kind online --customer x --days 0', '--days must be a whole number of days from 1 to 36500.'],
    [
      'license issue --kind online --customer x --cloud-url ftp://x.example',
      '--cloud-url must start with https:// (http:// is allowed only for 127.0.0.1 and localhost).',
    ],
    ['license keygen --out=', '--out must name a folder.'],
  ])('is reported in one line with exit code 2: %s', async (words, message) => {
    expect(await carrel(...words.split(' '))).toEqual({ code: 2, out: '', err: `carrel: ${message}\n` })
  })

  test.each([
    ['keys revoke 12', 'There is no key with the id "12"; "keys list" shows them.'],
    ['license issue --kind online --customer x --key no.pem', '--key: the file no.pem does not exist.'],
    [
      'license issue --kind online --customer x --key package.json',
      '--key: package.json is not an Ed25519 private key in PEM; "license keygen" makes one.',
    ],
    ['license keygen --out /proc/nope', '--out: /proc/nope cannot be written: the folder cannot be created there.'],
    ['license keygen --out package.json', '--out: package.json cannot be written: a file is in its way.'],
    ['license keygen --out package.json/x', '--out: package.json/x cannot be written: a file is in its way.'],
    ['license trust no.pem', 'license trust: the file no.pem does not exist.'],
    ['license trust test', 'license trust: the file test is a directory.'],
    [
      'license trust package.json',
      "license trust: package.json is not an Ed25519 public key in PEM; use the other install's dev-license.pub.pem.",
    ],
    ['license revoke x', 'No license with the id "x" was issued in this install.'],
  ])('is reported in one line with its reason and exit code 1: %s', async (words, message) => {
    install()
    expect(await carrel(...words.split(' '))).toEqual({ code: 1, out: '', err: `carrel: ${message}\n` })
  })

  test('is reported in one line if it is in DATA_DIR', async () => {
    writeFileSync(dataDir, 'a file')
    expect(await carrel('keys', 'list')).toEqual({
      code: 1,
      out: '',
      err: `carrel: DATA_DIR ${dataDir} cannot be used: it is not a directory.\n`,
    })
  })
})
