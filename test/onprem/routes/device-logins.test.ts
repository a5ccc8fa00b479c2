import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deviceLoginsInMemory } from '../../../onprem/oauth/device-logins.ts'
import { createUser } from '../../fixtures/create-user.ts'
import { runCarrelProcess } from '../../fixtures/run-carrel.ts'
import { signIn } from '../../fixtures/sign-in.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'
import { until } from '../../fixtures/until.ts'

async function installWithUser() {
  const install = await testInstall()
  onTestFinished(install.close)
  const pair = { username: 'ann', password: 'a long password' }
  await createUser(install, { ...pair, role: 'member' })
  const cookie = await signIn(install, pair)
  const decide = (code: string, allow: boolean, headers: Record<string, string> = { cookie, origin: install.url }) =>
    install.ask(`/api/device-logins/${code}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ allow }),
    })
  return { install, cookie, decide }
}

const post = async ({ ask }: TestInstall, path: string, form: Record<string, string>) => {
  const response = await ask(path, { method: 'POST', body: new URLSearchParams(form) })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}
const poll = (install: TestInstall, deviceCode = '') =>
  post(install, '/mcp/oauth/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode })

test('a command line gets a key of the user who allows it, once', async () => {
  const { install, decide } = await installWithUser()
  const { body } = await post(install, '/mcp/oauth/device', { client_name: 'carrel login on spare' })
  expect(body).toMatchObject({
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    verification_uri: `${install.url}/device`,
    expires_in: 600,
  })
  expect(await poll(install, body.device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })
  expect((await decide(body.user_code ?? '', true)).status).toBe(200)
  const { access_token: key = '' } = (await poll(install, body.device_code)).body
  expect(install.app.keys.find(key)).toMatchObject({ username: 'ann', role: 'member', name: 'carrel login on spare' })
  expect((await poll(install, body.device_code)).body).toMatchObject({ error: 'expired_token' })
})

test('a login is decided in a session only, by a page of this server, and once', async () => {
  const { install, decide, cookie } = await installWithUser()
  const { body } = await post(install, '/mcp/oauth/device', {})
  const code = body.user_code ?? ''
  expect((await decide(code, true, {})).status).toBe(401)
  expect((await decide(code, true, { authorization: `Bearer ${install.keys.admin}` })).status).toBe(403)
  expect((await decide(code, true, { cookie, origin: 'https://evil.example' })).status).toBe(403)
  expect((await decide(code.toLowerCase().replace('-', ''), false)).status).toBe(200)
  expect((await decide(code, true)).status).toBe(404)
  expect((await poll(install, body.device_code)).body).toMatchObject({ error: 'access_denied' })
})

test('codes that nobody shows are tried twenty times a minute', async () => {
  const { decide } = await installWithUser()
  const statuses: number[] = []
  for (let n = 0; n < 21; n++) statuses.push((await decide('BBBB-BBBB', true)).status)
  expect(statuses).toEqual([...Array(20).fill(404), 429])
})

test('a login ends after ten minutes, and a command line that asks too often is slowed down', () => {
  let nowMs = 0
  const logins = deviceLoginsInMemory(() => nowMs)
  const { deviceCode, userCode } = logins.begin('spare', '127.0.0.1')
  expect([logins.poll(deviceCode), logins.poll(deviceCode)]).toEqual(['pending', 'slow_down'])
  nowMs = 600_000
  expect([logins.find(userCode), logins.poll(deviceCode)]).toEqual([undefined, 'expired'])
})

test('carrel login keeps the key in a file that only its user can read, and setup takes it', async () => {
  const { install, decide } = await installWithUser()
  install.app.settings.change({ 'permissions.requireMcpAuth': true })
  const home = tempDir()
  const env = { HOME: home, XDG_CONFIG_HOME: '' }
  const begin = install.app.deviceLogins.begin
  let code = ''
  install.app.deviceLogins.begin = (name, address) => {
    const begun = begin(name, address)
    code = begun.userCode
    return begun
  }
  const running = runCarrelProcess(['login', '--base-url', install.url], { dataDir: join(home, 'none'), env })
  await until(() => code !== '')
  await decide(code, true)
  const { code: exit, err } = await running
  expect([exit, err]).toEqual([0, expect.stringContaining(`open ${install.url}/device and enter the code ${code}`)])
  const file = join(home, '.config/carrel/keys.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const keys = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  expect(install.app.keys.find(keys[install.url] ?? '')).toMatchObject({ username: 'ann' })
  const setup = await runCarrelProcess(['setup', '--base-url', install.url, '--claude', '--yes'], {
    dataDir: join(home, 'none'),
    env,
  })
  expect([setup.code, readFileSync(join(home, '.claude.json'), 'utf8')]).toEqual([
    0,
    expect.stringContaining(keys[install.url] ?? '?'),
  ])
})
