import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import dynalite from 'dynalite'
import stores from 'dynalite/db/index.js'

export type DynaliteThread = { path: string; accessKeyId: string }

/**
 * Runs dynalite on a folder in its own thread, because its disk errors cannot be caught. Posts its port on 127.0.0.1, serves only
 * requests that are signed with the access key, and ends at the first message.
 */
const { path, accessKeyId } = workerData as DynaliteThread

const { create } = stores
let store: ReturnType<typeof create> | undefined
stores.create = (options) => {
  store = create(options)
  return store
}
const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
// Without this call, the error of a folder that cannot be opened is lost.
await store?.db.open()

const answer = server.listeners('request')[0]
if (!answer) throw new Error('dynalite has no request handler')
server.removeAllListeners('request').on('request', (incoming, outgoing) => {
  if (incoming.headers.authorization?.includes(`Credential=${accessKeyId}/`)) answer.call(server, incoming, outgoing)
  else outgoing.writeHead(403).end()
})
await once(server.listen(0, '127.0.0.1'), 'listening')
parentPort?.once('message', () => {
  server.close(() => process.exit())
  server.closeAllConnections()
})
parentPort?.postMessage((server.address() as AddressInfo).port)
