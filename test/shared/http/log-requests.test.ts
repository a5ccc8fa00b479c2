import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { logRequests } from '../../../shared/http/log-requests.ts'

const quiet = ['/api/health', '/api/ready', '/api/parse-status', '/api/events', '/api/jobs/12', '/metrics']

test('a poll is logged at debug, unless it fails', async () => {
  const lines: string[] = []
  const at = (level: string) => (fields: Record<string, unknown>) => void lines.push(`${level} ${fields.path} ${fields.status}`)
  const app = new Hono().use(logRequests({ log: { info: at('info'), debug: at('debug') } }))
  app.get('*', (c) => c.text('', c.req.query('fails') ? 503 : 200)).post('/api/*', (c) => c.text(''))
  for (const path of quiet) for (const query of ['', '?fails=1']) await app.request(path + query)
  for (const path of ['/api/jobs', '/api/jobs/12/log', '/api/v2/context']) await app.request(path)
  await app.request('/api/jobs/12', { method: 'POST' })
  expect(lines).toEqual([
    ...quiet.flatMap((path) => [`debug ${path} 200`, `info ${path} 503`]),
    'info /api/jobs 200',
    'info /api/jobs/12/log 200',
    'info /api/v2/context 200',
    'info /api/jobs/12 200',
  ])
})

test('a request is one line, with at most 500 characters of its path and nothing of its query', async () => {
  const lines: Record<string, unknown>[] = []
  const note = (fields: Record<string, unknown>) => void lines.push(fields)
  const app = new Hono().use(logRequests({ log: { info: note, debug: note } }))
  await app.request(`/${'x'.repeat(10_000)}?query=secret`)
  expect(lines).toMatchObject([{ method: 'GET', path: `/${'x'.repeat(499)}`, status: 404 }])
  expect(JSON.stringify(lines)).not.toContain('secret')
})
