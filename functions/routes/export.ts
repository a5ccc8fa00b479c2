import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { BundleElement } from '../../shared/bundle/bundle-element.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type ExportPorts, exportLibrary } from '../bundles/export-library.ts'

const bodyBytes = 16 * 1024

const ExportRequest = z.object({
  library: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .max(500, 'must not be longer than 500 characters')
    .describe('The library as owner/repo, with @version or /version for one version alone'),
})

const ExportAnswer = z
  .object({ libraries: z.array(BundleElement), force: z.literal(false) })
  .meta({ id: 'ExportResponse', description: 'The body of an import, one element a version' })

/** Of a request that a server of this machine takes; a Lambda has none. */
type Connection = { destroy(): void }

/** The gate answers 401 and 403 before the body is read. */
export const exportRoutes = (ports: ExportPorts, gate: MiddlewareHandler) =>
  new Hono().post('/v1/enterprise/export', gate, jsonBody(bodyBytes), input('json', ExportRequest), async (c) => {
    const { stream } = await exportLibrary(ports, c.req.valid('json').library)
    // No content-length: an answer that breaks off then lacks its last chunk, which every client notices.
    const connection = (c.env as { outgoing?: Connection } | undefined)?.outgoing
    const body = connection ? Readable.from(orHangUp(stream, connection), { objectMode: false }) : stream
    return c.body(Readable.toWeb(body) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>, 200, {
      'content-type': 'application/json; charset=utf-8',
    })
  })

/** A server that is told of the error prints it and writes it into the answer. Why the export broke off is in the log already. */
async function* orHangUp(stream: Readable, connection: Connection): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch {
    connection.destroy()
  }
}

/** It stands under none of the public API's tags: holders of an offline license call it. */
export const exportOperations: Operations = {
  '/v1/enterprise/export': {
    post: {
      operationId: 'exportLibrary',
      summary: 'Export all snippets of a public library',
      description:
        'Streams the library as the body of an import, without embeddings. Requires an offline license. A response that breaks off is not valid JSON.',
      security: keyNeeded,
      requestBody: { required: true, content: { 'application/json': { schema: ExportRequest } } },
      responses: { 200: json(ExportAnswer, 'Body of an import'), ...errors(400, 401, 403, 404, 413, 503) },
    },
  },
}
