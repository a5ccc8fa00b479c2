import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { handleErrors } from '../../../shared/http/handle-errors.ts'
import { logRequests } from '../../../shared/http/log-requests.ts'
import { recordedLog } from '../../fixtures/recorded-log.ts'

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

test('the token of an invitation is not in the line of its request', async () => {
  const log = recordedLog()
  const app = new Hono().use(logRequests({ log }))
  for (const path of ['/invites/secret', '/api/invites/secret/accept', '/api/teamspaces/1/invites/7']) await app.request(path)
  expect(log.lines.map(({ fields }) => fields.path)).toEqual([
    '/invites/***',
    '/api/invites/***/accept',
    '/api/teamspaces/1/invites/7',
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

test.each([
  ['4bf92f3577b34da6a3ce929d0e0e4736', true],
  ['Root=1-67891233-abcdef012345678912345678', true],
  ['short', false],
  ['x'.repeat(65), false],
  ['0123456789 status=200', false],
  ['01234567"}', false],
  ['', false],
])('the X-Request-Id "%s" of a request is logged and returned: %s', async (sent, isUsed) => {
  const log = recordedLog()
  const app = new Hono().use(logRequests({ log }))
  const answer = await app.request('/', { headers: { 'x-request-id': sent } })
  const id = answer.headers.get('x-request-id')
  expect([id === sent, log.lines[0]?.fields.request]).toEqual([isUsed, id])
})

const trace = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'

test.each([
  [`00-${trace}-${parent}-01`, true],
  [`ff-${trace}-${parent}-01`, false],
  [`00-${'0'.repeat(32)}-${parent}-01`, false],
  [`00-${trace}-${'0'.repeat(16)}-01`, false],
  [`00-${trace.toUpperCase()}-${parent}-01`, false],
  [`00-${trace}-${parent}-01 status=200`, false],
  ['', false],
])('the traceparent "%s" of a request is logged: %s', async (traceparent, isUsed) => {
  const log = recordedLog()
  const app = new Hono().use(logRequests({ log }))
  await app.request('/', { headers: { traceparent } })
  expect(log.lines[0]?.fields.traceparent).toBe(isUsed ? traceparent : undefined)
})

test('a failed request logs its error and its line with the id that the response has', async () => {
  const log = recordedLog()
  const app = new Hono().use(logRequests({ log }))
  handleErrors(app, { log })
  app.get('/', () => {
    throw new Error('a bug')
  })
  const answer = await app.request('/')
  const request = answer.headers.get('x-request-id')
  expect(answer.status).toBe(500)
  expect(log.lines).toMatchObject([
    { level: 'error', message: 'request failed', fields: { request } },
    { level: 'info', message: 'request', fields: { request, status: 500 } },
  ])
})

test('questions that are rejected because too many wait are logged by sample', async () => {
  const log = recordedLog()
  const app = new Hono().use(logRequests({ log }))
  app.get('*', (c) => c.json({}, 429, { 'retry-after': '2' }))
  for (let i = 0; i < 300; i++) await app.request('/api/v2/context?query=secret')
  const lines = log.lines.map(({ fields }) => fields as { status: number; unlogged?: number })
  expect(lines.length).toBeLessThan(100)
  expect(lines[0]).toMatchObject({ path: '/api/v2/context', status: 429 })
  for (let i = 0; i < 3; i++) await app.request('/api/auth/session/sign-in/username')
  expect(log.lines.filter(({ fields }) => fields.path === '/api/auth/session/sign-in/username')).toHaveLength(3)
})
