import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { Hono, type MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { knownIdOf } from '../../shared/api/known-ids.ts'
import { BundleElement } from '../../shared/bundle/bundle-element.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { printLibraryId } from '../../shared/library.ts'
import { readLibraryId } from '../../shared/schemas/read-library-id.ts'
import { type ExportPorts, exportLibrary } from '../bundles/export-library.ts'
import { type LargeExportPorts, largeExport } from '../bundles/large-export.ts'

const maxBodyBytes = 16 * 1024

const ExportRequest = z.strictObject({
  library: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .max(500, 'must not be longer than 500 characters')
    .describe('The library as owner/repo, with @version or /version for only one version'),
})

const ExportAnswer = z
  .object({ libraries: z.array(BundleElement), force: z.literal(false) })
  .meta({ id: 'ExportResponse', description: 'The body of an import, with one element per version' })

const StoredAt = z.object({ location: z.string().describe('Address that needs no key: send none') })

/** The connection of a request to a local server. A Lambda has none. */
type Connection = { destroy(): void }

/** It has none of the public API's tags, since only holders of an offline license call it. */
export const exportRoutes = (ports: ExportPorts & LargeExportPorts, access: MiddlewareHandler) =>
  new Hono().post(
    '/v1/enterprise/export',
    describeRoute({
      operationId: 'exportLibrary',
      summary: 'Export all snippets of a public library',
      description:
        'Streams the library as the body of an import, without embeddings. Requires an offline license. An aborted response is not valid JSON. An export above 200 MB is answered with the address of a file with the same content, or with 503 while that is being built.',
      responses: {
        200: json(ExportAnswer, 'Body of an import'),
        303: { description: 'The body of an import is at this address for five minutes', headers: StoredAt },
      },
      errors: [404, 422, 503],
    }),
    access,
    jsonBody(maxBodyBytes),
    input('json', ExportRequest),
    async (c) => {
      const library = printLibraryId(await knownIdOf(c, readLibraryId(c.req.valid('json').library)))
      const address = await largeExport(ports, library)
      if (address !== undefined) return c.redirect(address, 303)
      const { stream } = await exportLibrary(ports, library)
      // Without a content-length, an aborted response lacks its last chunk, which every client notices.
      const connection = (c.env as { outgoing?: Connection } | undefined)?.outgoing
      const body = connection ? Readable.from(closeOnError(stream, connection), { objectMode: false }) : stream
      return c.body(Readable.toWeb(body) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>, 200, {
        'content-type': 'application/json; charset=utf-8',
      })
    },
  )

/** Closes the connection instead of passing the error to the server, which would print it and write it into the response. It is logged already. */
async function* closeOnError(stream: Readable, connection: Connection): AsyncGenerator<Buffer> {
  try {
    yield* stream
  } catch {
    connection.destroy()
  }
}
