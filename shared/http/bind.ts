import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as Listener, type ListenOptions } from 'node:net'

/** Node accepts one connection per listener in a turn of the event loop, so a burst would wait for as many turns as it has connections. */
const maxListeners = 16

/**
 * Binds the port of a server, with several listeners if the system shares a port among those of one process (Linux, Node 22.12). `close` stops
 * listening and resolves when all connections have ended. Throws the error of the bind.
 */
export async function bind(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  // A shared port would not be reported as in use by another server, so it is first bound alone.
  const probe = createServer()
  await listening(probe, { host, port })
  const { address, port: boundPort } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  const shared = { host: address, port: boundPort, reusePort: true }
  await listening(server, shared).catch(() => listening(server, { host: address, port: boundPort }))
  const more: Listener[] = []
  while (more.length < maxListeners - 1) {
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
    if (!(await isListening(listener, shared))) break
    more.push(listener)
  }
  // A connection that cannot be accepted, for example without a free file descriptor, must not end the process.
  for (const listener of [server, ...more]) listener.on('error', () => undefined)
  return {
    port: boundPort,
    async close() {
      await Promise.all([server, ...more].map((listener) => new Promise((closed) => listener.close(closed))))
    },
  }
}

async function listening(listener: Listener, options: ListenOptions): Promise<void> {
  listener.listen(options)
  await once(listener, 'listening')
}

const isListening = (listener: Listener, options: ListenOptions): Promise<boolean> =>
  listening(listener, options).then(
    () => true,
    () => false,
  )
