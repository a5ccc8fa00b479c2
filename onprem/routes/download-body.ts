import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/**
 * The body of a download. If its source fails, `failed` is called and the connection closed, so that the client knows that the file is
 * incomplete. If the body failed instead, `@hono/node-server` would print the error on stderr.
 */
export function downloadBody(c: Context, source: Readable, failed: (error: unknown) => void): ReadableStream<Uint8Array> {
  // A command that runs without a server has no connection.
  const outgoing = (c.env as HttpBindings | undefined)?.outgoing
  const reader = (Readable.toWeb(source) as ReadableStream<Uint8Array>).getReader()
  reader.closed.catch((error: unknown) => {
    failed(error)
    outgoing?.destroy()
  })
  return new ReadableStream({
    async pull(controller) {
      const piece = await reader.read().catch((error: unknown) => {
        if (!outgoing) throw error
      })
      if (piece?.value) controller.enqueue(piece.value)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
