import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../fixtures/sign-in.ts'
import { type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall
let cookie: string
beforeAll(async () => {
  install = await testInstall()
  const hash = await install.app.passwords.hash('a long password')
  install.app.users.create({ username: 'ada', role: 'admin', hash })
  cookie = await signIn(install, { username: 'ada', password: 'a long password' })
})
afterAll(() => install.close())

const statusOf = async (path: string, headers: Record<string, string>) => {
  const answer = await fetch(install.url + path, { headers: { cookie, ...headers } })
  await answer.arrayBuffer()
  return answer.status
}

test.each(['/api/backup', '/api/backups', '/api/support-bundle', '/api/audit/export'])(
  'the response to %s is not sent to a page of another site',
  async (path) => {
    expect(await statusOf(path, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await statusOf(path, { 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await statusOf(path, { origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf(path, { origin: 'null' })).toBe(403)
    expect(await statusOf(path, { referer: 'https://evil.example/page' })).toBe(403)
  },
)

test.each(['/api/backup', '/api/backups', '/api/support-bundle', '/api/audit/export'])(
  'the response to %s is sent to a page of this server, an address bar and a script',
  async (path) => {
    expect(await statusOf(path, { 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await statusOf(path, { 'sec-fetch-site': 'none' })).toBe(200)
    expect(await statusOf(path, { origin: install.url, referer: `${install.url}/settings/support` })).toBe(200)
    expect(await statusOf(path, {})).toBe(200)
  },
)
