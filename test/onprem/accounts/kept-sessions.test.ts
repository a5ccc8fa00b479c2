import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareDir, type ServerProcess, startServer } from '../../fixtures/server-process.ts'
import { cookiesOf } from '../../fixtures/sign-in.ts'

const signIn = async ({ url }: ServerProcess) => {
  const body = JSON.stringify({ username: 'admin', password: 'admin' })
  const headers = { 'content-type': 'application/json', origin: url }
  const answer = await fetch(`${url}/api/auth/session/sign-in/username`, { method: 'POST', headers, body })
  return cookiesOf(answer.headers.getSetCookie())
}
const nameOf = async ({ url }: ServerProcess, cookie: string) => {
  const answer = await fetch(`${url}/api/auth/session/get-session`, { headers: { cookie } })
  return ((await answer.json()) as { user: { username: string } } | null)?.user.username
}

test('sessions outlive a kill of the server, and end where their key file is lost', { timeout: 120_000 }, async () => {
  const dir = prepareDir('https://github.com')
  const keyFile = join(dir.dataDir, 'sessions.key')
  const first = await startServer(dir)
  const cookie = await signIn(first)
  expect(await nameOf(first, cookie)).toBe('admin')
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  await first.kill()

  const second = await startServer(dir)
  expect(await nameOf(second, cookie)).toBe('admin')
  await second.end()

  rmSync(keyFile)
  const third = await startServer(dir)
  expect(await nameOf(third, cookie)).toBeUndefined()
  expect(await nameOf(third, await signIn(third))).toBe('admin')
})

test('a server where nobody has signed in has no key file for sessions', { timeout: 60_000 }, async () => {
  const dir = prepareDir('https://github.com')
  const server = await startServer(dir)
  expect(await nameOf(server, 'carrel.other=1')).toBeUndefined()
  expect(() => statSync(join(dir.dataDir, 'sessions.key'))).toThrow('ENOENT')
  await server.end()
})
