import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { developmentPair } from '../../shared/keys/development-pair.ts'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { type License, signLicense } from '../../shared/keys/license.ts'
import { runCarrel } from '../fixtures/run-carrel.ts'
import { send } from '../fixtures/send.ts'
import { prepareDir, runServer, startServer } from '../fixtures/server-process.ts'
import { cookiesOf } from '../fixtures/sign-in.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const root = new URL('../..', import.meta.url).pathname
const license: License = { id: 'lic-1', customer: 'ACME', kind: 'offline', expiresAt: '2100-01-01T00:00:00.000Z' }
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

/** Runs lines as a person would paste them into a shell, in a checkout. */
function paste(lines: string, env: Record<string, string>) {
  const { stdout, stderr, status } = spawnSync('sh', ['-ec', lines], { cwd: root, env: { PATH, ...env }, encoding: 'utf8' })
  return { out: stdout, err: stderr, code: status }
}

/** The answer to HOST=0.0.0.0 without a vendor, and the commands that it contains. */
async function refusal(DATA_DIR: string) {
  const { stderr, code } = await runServer({ PORT: '0', HOST: '0.0.0.0', DATA_DIR })
  const commands = stderr.split('\n').filter((line) => line.startsWith('  '))
  return { stderr, code, commands: commands.join('\n') }
}

describe('the commands in the error for HOST=0.0.0.0', () => {
  test('are few, name this install and contain no private keys', async () => {
    const dataDir = join(tempDir(), "it's a folder")
    const { stderr, code, commands } = await refusal(dataDir)
    const folder = `'${dataDir.replace("'", "'\\''")}`
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      'carrel: This build has no vendor key, so its licenses are only valid on a loopback address, not on HOST 0.0.0.0.',
    ])
    expect(commands.split('\n')).toEqual([
      '  npm run -s carrel -- license keygen --out ~/carrel-vendor &&',
      `  mkdir -p ${folder}/vendor' && cp ~/carrel-vendor/*.pub.pem ${folder}/vendor'/ &&`,
      `  export LICENSE_KEY="$(DATA_DIR=${folder}' npm run -s carrel -- license issue --kind offline --customer 'My team' --days 3650 --key ~/carrel-vendor/license.pem)"`,
    ])
    expect(stderr).toContain('PUBLIC_URL')
    expect(stderr).toContain('delete it here: its private keys sign licenses')
  })

  test('make a server that listens on every address and has a random initial password', async () => {
    const prepared = prepareDir('https://github.com')
    const home = tempDir()
    const { commands } = await refusal(prepared.dataDir)
    const pasted = paste(`${commands}\nprintf %s "$LICENSE_KEY" > ~/license-key`, { HOME: home })
    expect(pasted).toMatchObject({ code: 0 })
    const LICENSE_KEY = readFileSync(join(home, 'license-key'), 'utf8')
    expect(readdirSync(join(prepared.dataDir, 'vendor')).sort()).toEqual(['bundle.pub.pem', 'license.pub.pem'])
    expect(statSync(join(home, 'carrel-vendor')).mode & 0o777).toBe(0o700)

    const server = await startServer(prepared, { HOST: '0.0.0.0', LICENSE_KEY })
    const url = server.url.replace('0.0.0.0', '127.0.0.1')
    expect(existsSync(join(prepared.dataDir, 'dev-license.pem'))).toBe(false)
    const post = (path: string, body: unknown, cookie = '') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url, cookie },
        body: JSON.stringify(body),
      })
    const signIn = (username: string, password: string) => post('/api/auth/session/sign-in/username', { username, password })
    expect((await signIn('admin', 'admin')).status).toBe(401)
    const currentPassword = readFileSync(join(prepared.dataDir, 'initial-password'), 'utf8').trim()
    const cookie = cookiesOf((await signIn('admin', currentPassword)).headers.getSetCookie())
    const chosen = { username: 'ada', password: 'a long password' }
    expect((await post('/api/account/credentials', { currentPassword, ...chosen }, cookie)).status).toBe(200)

    const host = 'carrel.example.com'
    const anonymous = async () => (await send(url, '/api/projects', { headers: { host } })).status
    expect(await anonymous()).toBe(403)
    await send(url, '/api/auth/session/sign-in/username', {
      method: 'POST',
      headers: { host, origin: `http://${host}`, 'content-type': 'application/json' },
      body: JSON.stringify(chosen),
    })
    expect(await anonymous()).toBe(200)
    const session = cookiesOf((await signIn('ada', 'a long password')).headers.getSetCookie())
    const shown = await fetch(`${url}/api/license`, { headers: { cookie: session } })
    expect(await shown.json()).toMatchObject({ customer: 'My team', kind: 'offline' })

    const show = paste('npm run -s carrel -- license show', { DATA_DIR: prepared.dataDir, HOST: '0.0.0.0', LICENSE_KEY })
    expect(show).toMatchObject({ code: 0, err: '', out: expect.stringContaining('customer\tMy team\n') })
  })
})

describe('keys of an own vendor in DATA_DIR/vendor', () => {
  let dataDir: string
  let folder: string

  beforeEach(() => {
    dataDir = tempDir()
    folder = join(dataDir, 'vendor')
  })

  function writeKeys() {
    mkdirSync(folder)
    for (const name of ['license', 'bundle']) writeFileSync(join(folder, `${name}.pub.pem`), makeKeyPair().publicPem)
  }

  const carrel = (...words: string[]) => runCarrel(['license', ...words], { dataDir })

  test('end the trust in the development pair, on loopback too', async () => {
    writeKeys()
    const LICENSE_KEY = await signLicense(license, developmentPair(dataDir, 'license').privatePem)
    const { stderr, code } = await runServer({ PORT: '0', DATA_DIR: dataDir, LICENSE_KEY })
    expect(code).toBe(1)
    expect(stderr).toContain('it is not signed with a key that this install trusts')
    expect((await carrel('issue', '--kind', 'offline', '--customer', 'x')).err).toBe(
      "carrel: This install has the vendor's license key: name the private key with --key.\n",
    )
    expect((await carrel('trust', join(folder, 'license.pub.pem'))).err).toBe(
      "carrel: This install has the vendor's license key: it trusts no other key.\n",
    )
  })

  test('stop the server and the command line with one sentence if one is missing', async () => {
    writeKeys()
    rmSync(join(folder, 'bundle.pub.pem'))
    const err = `carrel: The file ${folder}/bundle.pub.pem does not exist (DATA_DIR/vendor must hold license.pub.pem and bundle.pub.pem).\n`
    expect(await runServer({ PORT: '0', DATA_DIR: dataDir })).toEqual({ stderr: err, code: 1 })
    expect(await carrel('show')).toEqual({ out: '', err, code: 1 })
  })

  test('are never created there together with the private ones', async () => {
    for (const out of [dataDir, join(folder, 'keys')]) {
      expect(await carrel('keygen', '--out', out)).toEqual({
        code: 1,
        out: '',
        err: `carrel: --out: ${out} is in DATA_DIR, where private keys do not belong. Choose another folder, such as ~/carrel-vendor, and copy only the public keys (*.pub.pem) to ${folder}.\n`,
      })
    }
    expect(readdirSync(dataDir)).toEqual([])
  })
})
