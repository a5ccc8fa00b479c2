import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Connections = { end(): void }

/** The maximum number of connections, if so many are `open`. `note` is called for each other one. */
export type ConnectionLimit = { max(open: number): number; note(): void }

type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse }

/** Requests that a client may send on one connection ahead of their responses. */
const maxWaiting = 100

/**
 * Answers the requests of a server: on each connection one at a time, with a turn of the event loop between two, so that a client that sends
 * many ahead holds one response in memory and other callers are served in between. A connection on which more than `maxWaiting` wait is
 * closed. `end` closes each connection as soon as it has no request, also those that clients opened ahead, which `closeIdleConnections` of
 * Node 24 leaves open. A connection above `limit` is closed at once.
 */
export function serveConnections(
  server: Server,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
  limit?: ConnectionLimit,
): Connections {
  const connections = new Map<Socket, Exchange[]>()
  let ending = false

  const answerFirst = (socket: Socket, exchanges: Exchange[]) => {
    const [first] = exchanges
    if (first === undefined || !socket.writable) return
    first.outgoing.once('close', () => {
      exchanges.shift()
      if (exchanges.length > 0) setImmediate(answerFirst, socket, exchanges)
      else if (ending) socket.destroySoon()
    })
    answer(first.incoming, first.outgoing)
  }
  server.prependListener('connection', (socket: Socket) => {
    if (limit && connections.size >= limit.max(connections.size)) {
      socket.destroy()
      return limit.note()
    }
    connections.set(socket, [])
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming
    const exchanges = connections.get(socket)
    // Node reads the rest of a chunk after its socket was destroyed.
    if (exchanges === undefined || socket.destroyed) return
    if (ending) outgoing.shouldKeepAlive = false
    exchanges.push({ incoming, outgoing })
    if (exchanges.length === 1) answerFirst(socket, exchanges)
    else if (exchanges.length > maxWaiting + 1) socket.destroy()
  })
  return {
    end() {
      ending = true
      for (const [socket, exchanges] of connections) {
        const last = exchanges.at(-1)
        // The last response says "Connection: close", so that a proxy does not reuse the connection.
        if (last === undefined) socket.destroy()
        else last.outgoing.shouldKeepAlive = false
      }
    },
  }
}
