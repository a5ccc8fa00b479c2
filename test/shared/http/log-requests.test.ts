import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { logRequests } from '../../../shared/http/log-requests.ts'

test('a request is one line, with at most 500 characters of its path and nothing of its query', async () => {
  const lines: Record<string, unknown>[] = []
  const note = (fields: Record<string, unknown>) => void lines.push(fields)
  const app = new Hono().use(logRequests({ log: { info: note, warn: note, error: note } }))
  await app.request(`/${'x'.repeat(10_000)}?query=secret`)
  expect(lines).toMatchObject([{ method: 'GET', path: `/${'x'.repeat(499)}`, status: 404 }])
  expect(JSON.stringify(lines)).not.toContain('secret')
})
