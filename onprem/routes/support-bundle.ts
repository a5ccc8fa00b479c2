import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { z } from 'zod'
import { errors, type Operations } from '../../shared/api/operations.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import type { App } from '../app.ts'
import { type SupportFile, supportFiles } from '../support/support-files.ts'

export const supportBundleRoutes = (app: App) =>
  new Hono<CallerEnv>().get('/support-bundle', requireRight(app, 'supportBundle'), async (c) => {
    const day = app.now().toISOString().slice(0, 10)
    return c.body(await zipped(supportFiles(app)), 200, {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="carrel-support-${day}.zip"`,
      'cache-control': 'no-store',
    })
  })

export const supportBundleOperations: Operations = {
  '/support-bundle': {
    get: {
      operationId: 'getSupportBundle',
      tags: ['Support'],
      summary: 'Download data for troubleshooting',
      description:
        'Returns a zip with versions, settings without secrets, the license without its signature, sizes of the stores, recent jobs with reports and logs, and recent log lines. It contains no snippet text, questions or keys.',
      responses: {
        200: {
          description: 'Zip file',
          headers: z.object({ 'Content-Disposition': z.string() }),
          content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
        },
        ...errors(401, 403),
      },
    },
  },
}

/** Written while it is read: no file of it is whole in memory. */
async function zipped(files: SupportFile[]): Promise<ReadableStream> {
  const { default: JSZip } = await import('jszip')
  const zip = new JSZip()
  const written = new Readable()
  for (const { name, pieces } of files) {
    const entry = Readable.from(pieces(), { objectMode: false })
    zip.file(
      name,
      entry.once('error', (error) => written.destroy(error)),
    )
  }
  written.wrap(zip.generateNodeStream({ streamFiles: true, compression: 'DEFLATE' }))
  return Readable.toWeb(written) as ReadableStream
}
