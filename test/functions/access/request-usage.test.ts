import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { requestUsage } from '../../../functions/access/request-usage.ts'
import { userKey } from '../../../shared/usage/record-usage.ts'

/** The pseudonym of a user whose request has these headers. */
async function userOf(headers: Record<string, string>): Promise<string> {
  let user = ''
  const app = new Hono<{ Variables: { caller: { kind: 'anonymous' } } }>().post('/mcp', (c) => {
    c.set('caller', { kind: 'anonymous' })
    const usage = requestUsage({ originSecrets: ['the secret'] }, c, 'mcp')
    if (usage) user = userKey({ ...usage, salt: new Uint8Array(32) })
    return c.body(null)
  })
  await app.request('/mcp', { method: 'POST', headers: { 'user-agent': 'Zed/1.0', ...headers } })
  return user
}

test('a session per request and an address per request of one network are one user', async () => {
  const users = new Set<string>()
  for (let n = 0; n < 50; n++)
    users.add(await userOf({ 'x-viewer-address': `2001:db8:1:2::${n}`, 'mcp-session-id': `session ${n}` }))
  expect(users.size).toBe(1)
})

test('other networks and other agents are other users, and so are sessions without an address', async () => {
  const sent: Record<string, string>[] = [
    { 'x-viewer-address': '203.0.113.9' },
    { 'x-viewer-address': '203.0.113.10' },
    { 'x-viewer-address': '203.0.113.9', 'user-agent': 'Cursor/2' },
    { 'mcp-session-id': 'a' },
    { 'mcp-session-id': 'b' },
  ]
  expect(new Set(await Promise.all(sent.map(userOf))).size).toBe(5)
})
