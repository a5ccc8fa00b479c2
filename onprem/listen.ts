import { serve } from '@hono/node-server'
import { AppError } from '../shared/errors.ts'
import type { Config } from './config.ts'

type Fetch = Parameters<typeof serve>[0]['fetch']

const graceMs = 5_000

/** Answers once the port is bound. Throws an AppError of one sentence where it cannot be. */
export function listen(fetch: Fetch, { HOST, PORT }: Config): Promise<{ port: number; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: HOST, port: PORT }, ({ port }) => resolve({ port, close: () => close(server) }))
    server.on('error', (error: Error & { code?: string }) =>
      reject(new AppError('internal_error', cannotListen(error, HOST, PORT), { cause: error })),
    )
  })
}

/** Lets requests under way end, for a while. */
function close(server: ReturnType<typeof serve>): Promise<void> {
  return new Promise((closed) => {
    const force = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(force)
      closed()
    })
    if ('closeIdleConnections' in server) server.closeIdleConnections()
  })
}

function cannotListen(error: Error & { code?: string }, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is taken by another program; set PORT to a free one.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by this user; set PORT to one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `HOST ${host} is not an address of this machine.`
  return `The server cannot listen on ${host}, port ${port}: ${error.message}.`
}
