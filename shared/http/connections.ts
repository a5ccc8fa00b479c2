import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Connections = { end(): void }

/**
 * Tracks the connections of a server. `end` closes each one as soon as it has no running request, also those that clients opened ahead, which
 * `closeIdleConnections` of Node 24 leaves open.
 */
export function trackConnections(server: Server): Connections {
  const running = new Map<Socket, Set<ServerResponse>>()
  let ending = false
  server.on('connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const responses = running.get(socket)
    if (responses === undefined) return
    responses.add(response)
    if (ending) response.shouldKeepAlive = false
    response.once('close', () => {
      responses.delete(response)
      if (ending && responses.size === 0) socket.destroySoon()
    })
  })
  return {
    end() {
      ending = true
      for (const [socket, responses] of running) {
        const last = [...responses].at(-1)
        // The last response says "Connection: close", so that a proxy does not reuse the connection.
        if (last === undefined) socket.destroy()
        else last.shouldKeepAlive = false
      }
    },
  }
}
