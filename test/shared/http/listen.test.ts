import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type ListenOptions, listen } from '../../../shared/http/listen.ts'

type Listening = Awaited<ReturnType<typeof listen>>

const opened: { close(): unknown }[] = []
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))

async function serve(
  answer: (path: string) => Response | Promise<Response>,
  options: Partial<ListenOptions> = {},
): Promise<Listening> {
  const server = await listen((request: Request) => answer(new URL(request.url).pathname), {
    HOST: '127.0.0.1',
    PORT: 0,
    ...options,
  })
  opened.push(server)
  return server
}

test('a connection above the limit is closed and noted, and those within it are served', async () => {
  let refused = 0
  const server = await serve(() => new Response('served'), { connections: { max: () => 1, note: () => void refused++ } })
  const ask = proxy(server)
  expect(await (await ask('/')).text()).toBe('served')
  const second = connect(server.port, '127.0.0.1').on('error', () => undefined)
  await once(second, 'close')
  expect(refused).toBe(1)
  expect(await (await ask('/')).text()).toBe('served')
})

/** A client with one connection, as a proxy keeps it. */
function proxy({ port }: Listening) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  opened.push({ close: () => agent.destroy() })
  return async (path: string) => {
    const request = get({ host: '127.0.0.1', port, path, agent })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    response.setEncoding('utf8').on('data', (data: string) => {
      text += data
    })
    const ended = once(response, 'end')
    return { headers: response.headers, reused: request.reusedSocket, text: () => ended.then(() => text) }
  }
}

/** Opens a connection without sending a request, as browsers do. */
async function preconnect({ port }: Listening) {
  const socket = connect(port, '127.0.0.1')
  opened.push({ close: () => socket.destroy() })
  let received = ''
  socket.setEncoding('latin1').on('data', (data) => {
    received += data
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, closed, received: () => received }
}

const get11 = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

/** The times are longer than a test may take, so that a stop that waits for a connection fails. */
const endless = { keepAliveMs: 3_600_000, headMs: 3_600_000 }

describe('a connection between two requests', () => {
  test('stays open longer than the 60 s for which proxies reuse it', async () => {
    const ask = proxy(await serve(() => new Response('ok')))
    const { headers, text } = await ask('/')
    await text()
    expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=75' })
  })

  test('is reused after a pause that is longer than the time limit of a request head', async () => {
    const ask = proxy(await serve(() => new Response('ok'), { headMs: 30, keepAliveMs: 60_000 }))
    await (await ask('/')).text()
    await sleep(120)
    expect(await ask('/')).toMatchObject({ reused: true })
  })
})

describe('a stop of the server', () => {
  test('closes connections on which no request was sent', async () => {
    const server = await serve(() => new Response('ok'), endless)
    const sockets = await Promise.all([preconnect(server), preconnect(server)])
    await (await proxy(server)('/')).text()
    await server.close()
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  test('closes connections that wait for the next request', async () => {
    const server = await serve(() => new Response('ok'), endless)
    await Promise.all([proxy(server), proxy(server)].map(async (ask) => (await ask('/')).text()))
    await server.close()
  })

  test('waits for a running request, and then closes its connection', async () => {
    const release = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const server = await serve(async () => {
      began.resolve()
      await release.promise
      return new Response('whole')
    }, endless)
    const answer = proxy(server)('/')
    await began.promise
    const stopped = server.close()
    release.resolve()
    const { headers, text } = await answer
    expect(headers.connection).toBe('close')
    expect(await text()).toBe('whole')
    await stopped
  })

  test('sends a stream to its end, and then closes its connection', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const server = await serve(() => new Response(readable), endless)
    const { text } = await proxy(server)('/').then((answer) => writer.write(Buffer.from('begin ')).then(() => answer))
    const stopped = server.close()
    await writer.write(Buffer.from('end'))
    await writer.close()
    expect(await text()).toBe('begin end')
    await stopped
  })

  test('waits for a request that is queued behind a running one on the same connection', async () => {
    const release = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const server = await serve(async (path) => {
      began.resolve()
      await release.promise
      return new Response(`answer ${path};`)
    }, endless)
    const { socket, closed, received } = await preconnect(server)
    socket.write(`${get11('/1')}${get11('/2')}`)
    await began.promise
    const stopped = server.close()
    release.resolve()
    await stopped
    await closed
    expect(received()).toMatch(/answer \/1;.*answer \/2;/s)
  })
})

describe('pipelined requests on one connection', () => {
  const paths = (count: number) => Array.from({ length: count }, (_, number) => `/${number}`)
  const answered = (received: string) => [...received.matchAll(/answer (\/\w+);/g)].map(([, path]) => path)

  test('are served in order, one at a time on each of 20 connections', async () => {
    let running = 0
    let maxRunning = 0
    const server = await serve(async (path) => {
      maxRunning = Math.max(maxRunning, ++running)
      await setImmediate()
      running -= 1
      return new Response(`answer ${path};`)
    })
    const sockets = await Promise.all(paths(20).map(() => preconnect(server)))
    for (const { socket } of sockets) socket.write(paths(50).map(get11).join(''))
    for (const { received } of sockets) await expect.poll(() => answered(received())).toEqual(paths(50))
    expect(maxRunning).toBeLessThanOrEqual(20)
  })

  test('do not block a request on another connection', async () => {
    let ahead = 0
    const server = await serve((path) => {
      if (path !== '/other') ahead += 1
      return new Response(path === '/other' ? `${ahead} ahead` : 'answer')
    })
    const sockets = await Promise.all(paths(20).map(() => preconnect(server)))
    const other = await preconnect(server)
    for (const { socket } of sockets) socket.write(paths(100).map(get11).join(''))
    other.socket.write(get11('/other'))
    await expect.poll(other.received).toContain('ahead')
    expect(Number(/(\d+) ahead/.exec(other.received())?.[1])).toBeLessThan(1_000)
  })

  test('are dropped with their connection if more than 100 wait', async () => {
    let dispatched = 0
    const server = await serve(async () => {
      dispatched += 1
      await setImmediate()
      return new Response('answer')
    })
    const { socket, closed } = await preconnect(server)
    socket.on('error', () => undefined).write(paths(800).map(get11).join(''))
    await closed
    expect(dispatched).toBeLessThanOrEqual(1)
    expect(await (await proxy(server)('/')).text()).toBe('answer')
  })

  test('are served after an upload, a HEAD and an expectation of 100-continue', async () => {
    const server = await listen(
      async (request: Request) => new Response(`answer ${new URL(request.url).pathname}; ${(await request.text()).length} bytes`),
      { HOST: '127.0.0.1', PORT: 0 },
    )
    opened.push(server)
    const { socket, received } = await preconnect(server)
    const body = 'x'.repeat(300_000)
    const post = (path: string, more = '') =>
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`
    socket.write(
      `${post('/upload')}${get11('/head').replace('GET', 'HEAD')}${post('/expect', 'Expect: 100-continue\r\n')}${get11('/last')}`,
    )
    await expect.poll(() => answered(received())).toEqual(['/upload', '/expect', '/last'])
    expect(received().match(/HTTP\/1.1 \d+/g)).toEqual(['200', '200', '100', '200', '200'].map((status) => `HTTP/1.1 ${status}`))
    expect(received().match(/300000 bytes/g)).toHaveLength(2)
  })

  test('wait for the end of a stream, and are dropped if the client leaves it', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const asked: string[] = []
    const server = await serve((path) => {
      asked.push(path)
      return path === '/stream' ? new Response(readable) : new Response('answer')
    })
    const { socket, received } = await preconnect(server)
    socket.write(`${get11('/stream')}${get11('/behind')}`)
    const writer = writable.getWriter()
    await writer.write(Buffer.from('an event'))
    await expect.poll(received).toContain('an event')
    socket.destroy()
    await writer.closed.catch(() => undefined)
    expect(await (await proxy(server)('/other')).text()).toBe('answer')
    expect(asked).toEqual(['/stream', '/other'])
  })
})

test.runIf(process.platform === 'linux')('a burst of connections is accepted several at a time', async () => {
  let accepted = 0
  const server = await serve(() => {
    accepted += 1
    return new Response('ok')
  })
  const sockets = Array.from({ length: 160 }, () => connect(server.port, '127.0.0.1'))
  opened.push(...sockets.map((socket) => ({ close: () => socket.destroy() })))
  for (const socket of sockets) socket.write(get11('/'))
  let turns = 0
  for (; accepted < sockets.length; turns++) await setImmediate()
  expect(turns).toBeLessThan(sockets.length)
})

test('a port that another server has is reported as in use', async () => {
  const { port } = await serve(() => new Response('ok'))
  await expect(serve(() => new Response('ok'), { PORT: port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use by another program.`,
  )
})
