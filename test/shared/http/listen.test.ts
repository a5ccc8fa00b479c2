import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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
  const closed = once(socket.resume(), 'close')
  await once(socket, 'connect')
  return { socket, closed }
}

async function msOf(done: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await done
  return performance.now() - began
}

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

describe('a stop', () => {
  test('closes connections on which no request was sent', async () => {
    const server = await serve(() => new Response('ok'))
    const sockets = await Promise.all([preconnect(server), preconnect(server)])
    await (await proxy(server)('/')).text()
    expect(await msOf(server.close())).toBeLessThan(1_000)
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  test('closes connections that wait for the next request', async () => {
    const server = await serve(() => new Response('ok'))
    await Promise.all([proxy(server), proxy(server)].map(async (ask) => (await ask('/')).text()))
    expect(await msOf(server.close())).toBeLessThan(1_000)
  })

  test('lets a running request finish, and then closes its connection', async () => {
    const release = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const server = await serve(async () => {
      began.resolve()
      await release.promise
      return new Response('whole')
    })
    const answer = proxy(server)('/')
    await began.promise
    const stopped = server.close()
    release.resolve()
    const { headers, text } = await answer
    expect(headers.connection).toBe('close')
    expect(await text()).toBe('whole')
    expect(await msOf(stopped)).toBeLessThan(1_000)
  })

  test('sends a stream to its end, and then closes its connection', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const server = await serve(() => new Response(readable))
    const { text } = await proxy(server)('/').then((answer) => writer.write(Buffer.from('begin ')).then(() => answer))
    const stopped = server.close()
    await writer.write(Buffer.from('end'))
    await writer.close()
    expect(await text()).toBe('begin end')
    expect(await msOf(stopped)).toBeLessThan(1_000)
  })

  test('answers a request that waits behind a running one on the same connection', async () => {
    const release = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const server = await serve(async (path) => {
      if (path === '/2') began.resolve()
      await release.promise
      return new Response(`answer ${path};`)
    })
    const { socket, closed } = await preconnect(server)
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    for (const path of ['/1', '/2']) socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    await began.promise
    const stopped = server.close()
    release.resolve()
    expect(await msOf(stopped)).toBeLessThan(1_000)
    await closed
    expect(received).toMatch(/answer \/1;.*answer \/2;/s)
  })
})
