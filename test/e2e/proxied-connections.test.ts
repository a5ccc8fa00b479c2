import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, globalAgent, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentPair } from '../../shared/keys/development-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startNginx } from '../fixtures/reverse-proxy.ts'
import { testHosted } from '../fixtures/test-hosted.ts'
import { until } from '../fixtures/until.ts'
import { widgetsInstall } from '../fixtures/widgets-install.ts'

type Half = 'onprem' | 'hosted'
type Asked = { half: Half; method: string; path: string; headers?: Record<string, string>; body?: object; endless?: true }

const ports: Partial<Record<Half, number>> = {}
/** The keys of the install and of an offline license. */
const keys: Partial<Record<Half, string>> = {}
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const install = await widgetsInstall()
  closing.push(() => install.close())
  ports.onprem = Number(new URL(install.url).port)
  keys.onprem = install.keys.admin
  const { body } = await install.call('POST', '/api/backup')
  routes['a stored backup'].path = `/api/backups/${body.name}`
  await until(async () => (await install.call('GET', '/api/backups')).body.running === null)

  const hosted = await testHosted()
  closing.push(() => hosted.close())
  ports.hosted = Number(new URL(hosted.url).port)
  await hosted.git.create('acme/gears', { files: { 'README.md': '# Gears\n\nA gear turns another one.\n' } })
  await hosted.add('acme/gears')
  const claims = { id: randomUUID(), customer: 'Proxied', kind: 'offline' as const, expiresAt: '2999-01-01T00:00:00.000Z' }
  await hosted.run('recordLicense', claims)
  keys.hosted = await signLicense(claims, developmentPair(hosted.dataDir, 'license').privatePem)
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const json = { 'content-type': 'application/json' }
const mcp = { ...json, accept: 'application/json, text/event-stream' }
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = { ...mcp, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
const question = `libraryId=${encodeURIComponent('/acme/widgets')}&query=paint`

const routes = {
  'tools of MCP, as events': { half: 'onprem', method: 'POST', path: '/mcp', headers: mcp, body: listTools },
  'tools of MCP, as JSON': {
    half: 'onprem',
    method: 'POST',
    path: '/mcp',
    headers: modern,
    body: { ...listTools, params: { _meta: modernMeta } },
  },
  'the stream of events': { half: 'onprem', method: 'GET', path: '/api/events', endless: true },
  'a new backup': { half: 'onprem', method: 'GET', path: '/api/backup' },
  'a stored backup': { half: 'onprem', method: 'GET', path: '' },
  'the support bundle': { half: 'onprem', method: 'GET', path: '/api/support-bundle' },
  'an answer': { half: 'onprem', method: 'GET', path: `/api/v2/context?${question}` },
  'a page of the web UI': { half: 'onprem', method: 'GET', path: '/', headers: { accept: 'text/html' } },
  'tools of MCP of the hosted half': { half: 'hosted', method: 'POST', path: '/mcp', headers: mcp, body: listTools },
  'an export of the hosted half': {
    half: 'hosted',
    method: 'POST',
    path: '/api/v1/enterprise/export',
    headers: json,
    body: { library: 'acme/gears' },
  },
} satisfies Record<string, Asked>
type RouteName = keyof typeof routes
const routeNames = Object.keys(routes) as RouteName[]

function asked(name: RouteName): Asked & { headers: Record<string, string>; text: string } {
  const route: Asked = routes[name]
  const needsNoKey = route.path === '/mcp'
  return {
    ...route,
    headers: { ...route.headers, ...(!needsNoKey && { authorization: `Bearer ${keys[route.half]}` }) },
    text: route.body === undefined ? '' : JSON.stringify(route.body),
  }
}

/** Sends a request and returns the head of its response, and whether the server closed the connection after it. */
async function askRaw(name: RouteName, version: '1.0' | '1.1', connection: string | undefined) {
  const { half, method, path, headers, text, endless } = asked(name)
  const socket = connect(ports[half] ?? 0, '127.0.0.1')
  let received = ''
  let closed = false
  socket
    .setEncoding('latin1')
    .on('data', (piece) => {
      received += piece
    })
    .on('end', () => {
      closed = true
    })
  const lines = Object.entries({
    host: '127.0.0.1',
    ...headers,
    ...(connection && { connection }),
    ...(text && { 'content-length': text.length }),
  }).map(([header, value]) => `${header}: ${value}`)
  socket.write([`${method} ${path} HTTP/${version}`, ...lines, '', text].join('\r\n'))
  const head = () => (/^.*?\r\n\r\n/s.exec(received) ?? [])[0]
  const closes = () => /^connection: close\r$/im.test(head() ?? '')
  await until(() => head() !== undefined && (endless || !closes() || closed))
  socket.destroy()
  const named = (header: string) =>
    [...(head() ?? '').matchAll(new RegExp(`^${header}: (.*)\\r$`, 'gim'))].map(([, value = '']) => value.toLowerCase())
  return { status: Number(received.slice(9, 12)), connection: named('connection'), keepAlive: named('keep-alive') }
}

describe.each(routeNames)('the route %s', (name) => {
  test('closes the connection if the client asks for it', async () => {
    const closed = { status: 200, connection: ['close'], keepAlive: [] }
    expect(await askRaw(name, '1.1', 'close')).toEqual(closed)
    expect(await askRaw(name, '1.1', 'Close, TE')).toEqual(closed)
    expect(await askRaw(name, '1.0', undefined)).toEqual(closed)
  })

  test('returns how long the connection stays open, if it does', async () => {
    const open = { status: 200, connection: ['keep-alive'], keepAlive: ['timeout=75'] }
    expect(await askRaw(name, '1.1', undefined)).toEqual(open)
    expect(await askRaw(name, '1.1', 'upgrade')).toEqual(open)
  })
})

const nginxDirectives = {
  'nginx with HTTP/1.0': 'proxy_http_version 1.0;',
  'nginx with HTTP/1.0 and pooled sockets': 'proxy_http_version 1.0; proxy_set_header Connection keep-alive;',
  'nginx with HTTP/1.1 and "Connection: close"': 'proxy_http_version 1.1; proxy_set_header Connection close;',
  'nginx with HTTP/1.1 and pooled sockets': 'proxy_http_version 1.1; proxy_set_header Connection "";',
  'nginx that allows upgrades':
    'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";',
}

type NodeProxy = { agent: Agent; connection?: string }

const nodeProxies: Record<string, NodeProxy> = {
  'a Node proxy with its default agent': { agent: globalAgent },
  'a Node proxy with its default agent and "Connection: close"': { agent: globalAgent, connection: 'close' },
  'a Node proxy with an agent that keeps no sockets': { agent: new Agent() },
  'a Node proxy with one pooled socket': { agent: new Agent({ keepAlive: true, maxSockets: 1 }) },
  'a Node proxy with one pooled socket and "Connection: close"': {
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    connection: 'close',
  },
}

/** Starts a proxy that passes headers on as they are, as simple proxies do. Returns its port. */
async function startNodeProxy({ agent, connection }: NodeProxy, serverPort: number): Promise<number> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, ...(connection && { connection }) }
    const { url: path, method } = incoming
    const sent = request({ host: '127.0.0.1', port: serverPort, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
      outgoing.on('close', () => answer.destroy())
    })
    sent.on('error', (error) => outgoing.headersSent || outgoing.writeHead(502).end(error.message))
    incoming.pipe(sent)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  closing.push(async () => {
    agent.destroy()
    proxy.closeAllConnections()
    proxy.close()
  })
  return (proxy.address() as AddressInfo).port
}

/** Starts nginx. Returns its port. */
async function startNginxTo(serverPort: number, directives: string): Promise<number> {
  const port = await freePort()
  const nginx = await startNginx({ port, serverPort, directives })
  closing.push(() => nginx.close())
  return port
}

const proxies: Record<string, (serverPort: number) => Promise<number>> = {}
for (const [name, directives] of Object.entries(nginxDirectives))
  proxies[name] = (serverPort) => startNginxTo(serverPort, directives)
for (const [name, proxy] of Object.entries(nodeProxies)) proxies[name] = (serverPort) => startNodeProxy(proxy, serverPort)

describe.each(Object.entries(proxies))('a server behind %s', (_name, start) => {
  const proxyPorts: Partial<Record<Half, number>> = {}

  beforeAll(async () => {
    for (const half of ['onprem', 'hosted'] as const) proxyPorts[half] = await start(ports[half] ?? 0)
  })

  /** Reads the whole body; of the stream of events, only its first event. */
  async function ask(name: RouteName): Promise<{ status: number; sizeBytes: number }> {
    const { half, method, path, headers, text, endless } = asked(name)
    const leaving = new AbortController()
    const init = { method, headers, ...(text && { body: text }), signal: leaving.signal }
    const answer = await fetch(`http://127.0.0.1:${proxyPorts[half]}${path}`, init)
    if (!endless) return { status: answer.status, sizeBytes: (await answer.bytes()).length }
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const { value } = await reader.read()
    leaving.abort()
    return { status: answer.status, sizeBytes: value?.length ?? 0 }
  }

  test.each(routeNames)('responds to %s twice in a row', async (name) => {
    for (let time = 0; time < 2; time++) {
      const { status, sizeBytes } = await ask(name)
      expect([status, sizeBytes > 20]).toEqual([200, true])
    }
  })

  test('responds to tool calls of twelve clients at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask('tools of MCP, as events')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })
})
