import { createServer, type Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { AppError } from '../errors.ts'
import { bind } from './bind.ts'
import { type ConnectionLimit, type Connections, serveConnections } from './connections.ts'
import { errorResponse } from './error-response.ts'
import { plainPath } from './path-below.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

const graceMs = 5_000

export type ListenOptions = {
  HOST: string
  PORT: number
  /** Time limit for a request body: 0 means no limit, undefined Node's default. */
  bodyMs?: number
  /** Time limit for a request head, which clients send immediately. It does not limit the pause between two requests. */
  headMs?: number
  /**
   * The time that a connection stays open between two requests. Proxies reuse connections for 60 s, and a proxy must be the one
   * that closes.
   */
  keepAliveMs?: number
  connections?: ConnectionLimit
}

/** Bytes of the head of a request: an address may hold a question of 8,000 characters, six bytes for many of them. */
const maxHeaderSize = 65_536

/** Resolves when the port is bound. Throws an AppError if the server cannot listen. */
export async function listen(
  fetch: Fetch,
  { HOST, PORT, bodyMs, headMs = 15_000, keepAliveMs = 75_000, connections: limit }: ListenOptions,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ connectionsCheckingInterval: headMs / 3, maxHeaderSize })
  const connections = serveConnections(
    server,
    (incoming, outgoing) => {
      // A request without a valid URL reaches no route, so its error is rendered here.
      const errorHandler = (thrown: unknown) => {
        const answer = errorResponse(unreadable(thrown), plainPath(incoming.url?.split('?', 1)[0] ?? ''))
        answer.headers.set('cache-control', 'private, no-store')
        return answer
      }
      void getRequestListener(fetch, { hostname: HOST, errorHandler })(incoming, outgoing)
    },
    limit,
  )
  server.headersTimeout = headMs
  server.keepAliveTimeout = keepAliveMs
  if (bodyMs !== undefined) server.requestTimeout = bodyMs
  const bound = await bind(server, { host: HOST, port: PORT }).catch((error: Error & { code?: string }) => {
    throw new AppError('cannot_start', cannotListen(error, HOST, PORT), { cause: error })
  })
  return { port: bound.port, close: () => close(server, bound.close, connections) }
}

/** Waits up to `graceMs` for running requests, then closes their connections. */
async function close(server: Server, closeListeners: () => Promise<void>, connections: Connections): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  const closed = closeListeners()
  connections.end()
  await closed
  clearTimeout(force)
}

const unreadable = (thrown: unknown): unknown =>
  thrown instanceof RequestError
    ? new AppError(
        'validation_error',
        'The Host header and path of this request do not form a URL. Send a Host such as 127.0.0.1:3000 and a path that begins with "/".',
        { cause: thrown },
      )
    : thrown

function cannotListen(error: Error & { code?: string }, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is in use by another program. Set PORT to a free port.`
  if (error.code === 'EACCES') return `This user may not use port ${port}. Set PORT to a port above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine. Set HOST to one of its addresses.`
  return `The server cannot listen on ${host}, port ${port}: ${error.message}.`
}
