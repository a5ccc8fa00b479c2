import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

test('sessions survive a kill of the server, and end if their key file is lost', async () => {
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

test('a server without sign-ins has no key file for sessions', async () => {
  const dir = prepareDir('https://github.com')
  const server = await startServer(dir)
  expect(await nameOf(server, 'carrel.other=1')).toBeUndefined()
  expect(() => statSync(join(dir.dataDir, 'sessions.key'))).toThrow('ENOENT')
  await server.end()
})

test('no environment variable enables telemetry or another session secret', async () => {
  const asked: string[] = []
  const listener = createServer((request, answer) => {
    asked.push(request.url ?? '')
    answer.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void listener.close())
  await once(listener, 'listening')
  const endpoint = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/telemetry`
  const dir = prepareDir('https://github.com')
  const first = await startServer(dir, {
    BETTER_AUTH_TELEMETRY: 'true',
    BETTER_AUTH_TELEMETRY_ENDPOINT: endpoint,
    BETTER_AUTH_SECRETS: '1:a secret that the environment brings along',
  })
  const cookie = await signIn(first)
  expect(await nameOf(first, cookie)).toBe('admin')
  await first.end()
  expect(asked).toEqual([])
  const second = await startServer(dir)
  expect(await nameOf(second, cookie)).toBe('admin')
})
