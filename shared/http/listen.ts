import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { AppError } from '../errors.ts'
import { errorResponse } from './error-response.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

const graceMs = 5_000
/** For the head of a request, which is sent at once. */
const headMs = 15_000

/** Answers once the port is bound. `bodyMs`: how long a client may send its body, 0 for ever, else what Node gives it. Throws an AppError of one sentence where it cannot be. */
export function listen(
  fetch: Fetch,
  { HOST, PORT, bodyMs }: { HOST: string; PORT: number; bodyMs?: number },
): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer({ connectionsCheckingInterval: headMs / 3 }, (incoming, outgoing) => {
      // Only here is it known which path a request asked for whose URL cannot be made.
      const errorHandler = (thrown: unknown) => {
        const answer = errorResponse(unreadable(thrown), incoming.url?.split('?', 1)[0] ?? '')
        answer.headers.set('cache-control', 'private, no-store')
        return answer
      }
      void getRequestListener(fetch, { hostname: HOST, errorHandler })(incoming, outgoing)
    })
    server.on('error', (error: Error & { code?: string }) =>
      reject(new AppError('internal_error', cannotListen(error, HOST, PORT), { cause: error })),
    )
    server.headersTimeout = headMs
    if (bodyMs !== undefined) server.requestTimeout = bodyMs
    server.listen(PORT, HOST, () => {
      const { port } = server.address() as AddressInfo
      resolve({ port, close: () => close(server) })
    })
  })
}

/** Lets requests under way end, for a while. */
function close(server: Server): Promise<void> {
  return new Promise((closed) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(force)
      closed()
    })
    server.closeIdleConnections()
  })
}

const unreadable = (thrown: unknown): unknown =>
  thrown instanceof RequestError
    ? new AppError(
        'validation_error',
        'The Host header and the address of this request make no URL; send a Host such as 127.0.0.1:3000 and a path that begins with "/".',
        { cause: thrown },
      )
    : thrown

function cannotListen(error: Error & { code?: string }, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is taken by another program; set PORT to a free one.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by this user; set PORT to one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `HOST ${host} is not an address of this machine.`
  return `The server cannot listen on ${host}, port ${port}: ${error.message}.`
}
