import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Hono } from 'hono'
import { listen } from '../../shared/http/listen.ts'
import { readBody } from '../../shared/http/read-body.ts'
import { contentDisposition } from '../objects/content-disposition.ts'
import { checkObjectKey, type ObjectStore, type UploadLinks } from '../objects/object-store.ts'

type ObjectLinks = Pick<ObjectStore, 'downloadUrl'> & UploadLinks & { close(): Promise<void> }

/** Serves objects to holders of a link and stores those that they send, on a port of this machine. Links end with the process. */
export async function serveObjects({ get, put, now }: Pick<ObjectStore, 'get' | 'put'> & { now(): Date }): Promise<ObjectLinks> {
  const secret = randomBytes(32)
  const signed = (...parts: string[]) => createHmac('sha256', secret).update(JSON.stringify(parts)).digest()
  const isGenuine = (signature: string, expires: string, ...parts: string[]) => {
    const [sent, expected] = [Buffer.from(signature, 'hex'), signed(...parts, expires)]
    return sent.length === expected.length && timingSafeEqual(sent, expected) && Number(expires) > now().getTime()
  }
  const app = new Hono()
    .get('/:key{.+}', async (c) => {
      const { name = '', expires = '', signature = '' } = c.req.query()
      const key = c.req.param('key')
      if (!isGenuine(signature, expires, 'GET', key, name)) return c.text(invalidLink, 403)
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
    .put('/:key{.+}', async (c) => {
      const { expires = '', signature = '' } = c.req.query()
      const key = c.req.param('key')
      const length = c.req.header('content-length') ?? ''
      if (!isGenuine(signature, expires, 'PUT', key, length)) return c.text(invalidLink, 403)
      await put(checkObjectKey(key), await readBody(c.req.raw, Number(length)), 'application/octet-stream')
      return c.body(null, 200)
    })
  const server = await listen(app.fetch, { HOST: '127.0.0.1', PORT: 0 })
  const link = (key: string, expiresS: number, query: Record<string, string>, ...parts: string[]) => {
    const expires = String(now().getTime() + expiresS * 1000)
    const signature = signed(...parts, expires).toString('hex')
    return `http://127.0.0.1:${server.port}/${key}?${new URLSearchParams({ ...query, expires, signature })}`
  }
  return {
    downloadUrl: async (key, name, expiresS) => link(key, expiresS, { name }, 'GET', key, name),
    uploadUrl: async (key, sizeBytes, expiresS) => link(key, expiresS, {}, 'PUT', key, String(sizeBytes)),
    close: server.close,
  }
}

const invalidLink = 'This link is not valid for this request or has expired.'
