import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestInstall, testInstall } from '../fixtures/test-install.ts'
import { until } from '../fixtures/until.ts'

let app: TestInstall

beforeAll(async () => {
  app = await testInstall()
})
afterAll(() => app.close())

type Client = { socket: Socket; received(): string; closed: Promise<unknown> }

/** Sends the head of a POST and the beginning of its body. */
async function begin(path: string, body: string, size: number | 'chunked'): Promise<Client> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Authorization: Bearer ${app.keys.admin}`,
    size === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return { socket, received: () => received, closed }
}

const tooSlow = 'No data of the body arrived for 5 seconds. The request was not processed; send it again.'

test.each([
  ['/api/parse', `"error":"validation_error","message":"${tooSlow}"`],
  ['/mcp', JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: tooSlow }, id: null })],
])('a client that stops in the middle of a body to %s gets a response, and its connection ends', async (path, answer) => {
  const client = await begin(path, '{"repoUrl":', 1000)
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 400 /)
  expect(client.received()).toContain(answer)
})

test('a slow client that keeps sending is served', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const client = await begin('/mcp', body.slice(0, 1), body.length)
  for (const character of body.slice(1)) {
    await sleep(30)
    client.socket.write(character)
  }
  await until(() => client.received().includes('"result":{}'))
  client.socket.destroy()
})

test.each(['/api/parse', '/mcp'])(
  'a body to %s in thousands of tiny chunks is rejected, and its connection ends',
  async (path) => {
    const chunk = '1\r\n \r\n'
    const client = await begin(path, chunk.repeat(2_000), 'chunked')
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close\r\n/i)
    expect(client.received()).toContain('The body arrives in chunks of less than 64 bytes. Send it in larger ones.')
  },
)

test('a body in tiny chunks that does not end is not received beyond its limit either', async () => {
  // Large chunks first, so that the body is rejected for its size.
  const large = `10000\r\n${' '.repeat(65_536)}\r\n`
  const client = await begin('/mcp', large.repeat(3), 'chunked')
  await until(() => client.received().startsWith('HTTP/1.1 413 '))
  for (let sent = 0; sent < 100 && client.socket.writable; sent++) {
    client.socket.write('1\r\n \r\n'.repeat(10_000))
    await sleep(10)
  }
  await client.closed
})

test('a body in many chunks of a usual size is read', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { text: 'x'.repeat(100_000) } } })
  const chunks = body.match(/[\s\S]{1,80}/g) ?? []
  expect(chunks.length).toBeGreaterThan(1_000)
  const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  const client = await begin('/mcp', `${lines.join('')}0\r\n\r\n`, 'chunked')
  await until(() => client.received().includes('"result":{}'))
  client.socket.destroy()
})

test('the oldest unfinished bodies are rejected if they exceed the memory limit, and everything else is served', async () => {
  const part = ' '.repeat(120 * 1024)
  const clients = await Promise.all(Array.from({ length: 700 }, () => begin('/mcp', part, 128 * 1024)))
  // They go on sending, so that none is refused for its silence.
  const drip = setInterval(() => {
    for (const { socket, received } of clients) if (socket.writable && received() === '') socket.write(' ')
  }, 1_000)
  const refused = () => clients.filter((client) => client.received() !== '')
  await until(() => refused().length > 0)
  clearInterval(drip)
  expect(refused()[0]?.received()).toMatch(
    /^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*The server is receiving too many request bodies/i,
  )
  expect((await app.ask('/api/health')).status).toBe(200)
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const pinged = await app.ask('/mcp', { method: 'POST', headers, body: ping })
  expect(await pinged.text()).toContain('"result":{}')
  for (const { socket } of clients) socket.destroy()
})
