import { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

type Download = {
  /** Called if the source fails. */
  failed(error: unknown): void
  /** True if the caller still has access, which is checked while the download runs. */
  isAllowed(): Promise<boolean>
}

const checkEveryMs = 5_000

/**
 * The body of a download. If its source fails, or the caller loses access, the connection is closed, so that the client knows that the file is
 * incomplete. If the body failed instead, `@hono/node-server` would print the error on stderr.
 */
export function downloadBody(
  c: Context,
  source: Readable,
  { failed, isAllowed }: Download,
  everyMs = checkEveryMs,
): ReadableStream<Uint8Array> {
  // A command that runs without a server has no connection.
  const outgoing = (c.env as HttpBindings | undefined)?.outgoing
  let hasAccess = true
  const checks = setInterval(async () => {
    hasAccess &&= await isAllowed().catch(() => false)
    if (hasAccess) return
    outgoing?.destroy()
    source.destroy()
  }, everyMs)
  checks.unref()
  source.once('close', () => clearInterval(checks))
  const reader = (Readable.toWeb(source) as ReadableStream<Uint8Array>).getReader()
  reader.closed.catch((error: unknown) => {
    if (hasAccess) failed(error)
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
