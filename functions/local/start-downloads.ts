import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Hono } from 'hono'
import { listen } from '../../shared/http/listen.ts'
import { contentDisposition } from '../objects/content-disposition.ts'
import { checkObjectKey, type ObjectStore } from '../objects/object-store.ts'

type Downloads = { downloadUrl: ObjectStore['downloadUrl']; close(): Promise<void> }

/** Serves objects to holders of a link, on a port of this machine. Links end with the process. */
export async function startDownloads({ get, now }: Pick<ObjectStore, 'get'> & { now(): Date }): Promise<Downloads> {
  const secret = randomBytes(32)
  const signed = (key: string, fileName: string, expires: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([key, fileName, expires]))
      .digest()
  const app = new Hono().get('/:key{.+}', async (c) => {
    const { name = '', expires = '', signature = '' } = c.req.query()
    const key = c.req.param('key')
    const [sent, expected] = [Buffer.from(signature, 'hex'), signed(key, name, expires)]
    const isGenuine = sent.length === expected.length && timingSafeEqual(sent, expected)
    if (!isGenuine || Number(expires) <= now().getTime()) return c.text('This link is not valid or has expired.', 403)
    const object = await get(checkObjectKey(key))
    if (object === undefined) return c.text('This file has been deleted.', 404)
    const body = Readable.toWeb(object.body) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>
    return c.body(body, 200, {
      'content-type': 'application/octet-stream',
      'content-disposition': contentDisposition(name),
      'content-length': String(object.sizeBytes),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
  })
  const server = await listen(app.fetch, { HOST: '127.0.0.1', PORT: 0 })
  return {
    async downloadUrl(key, fileName, expiresS) {
      const expires = String(now().getTime() + expiresS * 1000)
      const signature = signed(key, fileName, expires).toString('hex')
      return `http://127.0.0.1:${server.port}/${key}?${new URLSearchParams({ name: fileName, expires, signature })}`
    },
    close: server.close,
  }
}
