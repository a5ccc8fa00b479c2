import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareDir, runServer, type ServerProcess, startServer } from '../../fixtures/server-process.ts'
import { cookiesOf } from '../../fixtures/sign-in.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { vendorCopy } from '../../fixtures/vendor-copy.ts'

/** Listens on loopback, in a spelling that the server does not take for it: as if others could reach it. */
const HOST = '127.1'

let copy: Awaited<ReturnType<typeof vendorCopy>>
beforeAll(async () => {
  copy = await vendorCopy()
})
afterAll(() => rmSync(copy.root, { recursive: true, force: true }))

function prepared() {
  const { root, licenseKey } = copy
  const dir = { ...prepareDir('https://github.com'), root }
  const start = (env: Record<string, string> = {}) => startServer(dir, { LICENSE_KEY: licenseKey, ...env })
  return { ...dir, file: join(dir.dataDir, 'initial-password'), start }
}

const post = ({ url }: ServerProcess, path: string, body: unknown, cookie = '') =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, cookie },
    body: JSON.stringify(body),
  })
const publicPassword = 'sign in as admin with the password admin'
const signInPage = async ({ url }: ServerProcess) => (await fetch(`${url}/sign-in`, { headers: { accept: 'text/html' } })).text()
const signIn = (server: ServerProcess, password: string, username = 'admin') =>
  post(server, '/api/auth/session/sign-in/username', { username, password })
const change = async (server: ServerProcess, currentPassword: string) => {
  const cookie = cookiesOf((await signIn(server, currentPassword)).headers.getSetCookie())
  const asked = await fetch(`${server.url}/api/keys`, { headers: { cookie } })
  expect(asked.status).toBe(403)
  return post(server, '/api/account/credentials', { currentPassword, username: 'root', password: 'a long password' }, cookie)
}

test('an install that other machines can reach gets a random password, logged once and stored in a file until it is changed', async () => {
  const { file, start, key } = prepared()
  const first = await start({ HOST })
  const password = readFileSync(file, 'utf8').trim()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(password.length).toBeGreaterThanOrEqual(20)
  expect(first.output()).toContain(password)
  expect(first.output()).not.toContain(publicPassword)
  expect(await signInPage(first)).toContain('name="carrel-new" content="secret"')
  expect((await signIn(first, 'admin')).status).toBe(401)
  await first.end()

  const second = await start({ HOST })
  expect(second.output()).not.toContain(password)
  expect((await change(second, password)).status).toBe(200)
  expect(existsSync(file)).toBe(false)
  expect((await signIn(second, password)).status).toBe(401)
  expect((await signIn(second, 'a long password', 'root')).status).toBe(200)
  const bundle = await fetch(`${second.url}/api/support-bundle`, { headers: { authorization: `Bearer ${key}` } })
  expect(Buffer.from(await bundle.arrayBuffer()).includes(password)).toBe(false)
})

test('admin/admin of a loopback install is replaced when other machines can reach it', async () => {
  const { file, start } = prepared()
  const local = await start()
  await expect.poll(local.output).toContain(publicPassword)
  expect(await signInPage(local)).toContain('name="carrel-new" content="public"')
  const cookie = cookiesOf((await signIn(local, 'admin')).headers.getSetCookie())
  expect(existsSync(file)).toBe(false)
  await local.end()

  const open = await start({ HOST })
  expect((await signIn(open, 'admin')).status).toBe(401)
  const session = await fetch(`${open.url}/api/auth/session/get-session`, { headers: { cookie } })
  expect(await session.json()).toBeNull()
  expect((await change(open, readFileSync(file, 'utf8').trim())).status).toBe(200)
  await open.end()

  const again = await start({ HOST })
  expect((await signIn(again, 'a long password', 'root')).status).toBe(200)
})

test('INITIAL_ADMIN_PASSWORD is the initial password, on loopback too, and must be changed', async () => {
  const dir = prepareDir('https://github.com')
  const env = { INITIAL_ADMIN_PASSWORD: 'chosen by the operator' }
  const server = await startServer(dir, env)
  expect((await signIn(server, 'admin')).status).toBe(401)
  expect(existsSync(join(dir.dataDir, 'initial-password'))).toBe(false)
  expect((await change(server, env.INITIAL_ADMIN_PASSWORD)).status).toBe(200)
  await server.end()

  const again = await startServer(dir, env)
  expect((await signIn(again, env.INITIAL_ADMIN_PASSWORD)).status).toBe(401)
})

test.each([
  [
    { TRUSTED_PROXIES: '10.0.0.0/33' },
    'TRUSTED_PROXIES is "10.0.0.0/33" and must be addresses or networks such as 10.0.0.0/8 or fd00::/8',
  ],
  [{ TRUSTED_PROXIES: 'proxy.example' }, '"proxy.example" is neither.'],
  [{ INITIAL_ADMIN_PASSWORD: 'short' }, 'INITIAL_ADMIN_PASSWORD must have at least 8 characters.'],
])('an environment with %j fails the start with one sentence', async (env, sentence) => {
  const { stderr, code } = await runServer({ DATA_DIR: tempDir(), PORT: '0', ...env })
  expect(code).toBe(1)
  expect(stderr).toContain(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})
