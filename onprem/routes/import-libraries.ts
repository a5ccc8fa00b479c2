import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { input } from '../../shared/api/input.ts'
import { errors, json, keyNeeded, type Operations } from '../../shared/api/operations.ts'
import { BundleElement, bundleLimits } from '../../shared/bundle/bundle-element.ts'
import { AppError } from '../../shared/errors.ts'
import { type BodyChunks, bodyChunks } from '../../shared/http/body-chunks.ts'
import { bodyTooLarge } from '../../shared/http/timed-chunks.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import { requireLicense } from '../access/require-license.ts'
import type { App } from '../app.ts'
import { importJson } from '../import/import-json.ts'
import { importZip, unsigned } from '../import/import-zip.ts'
import { fileField } from '../import/receive-form.ts'

const Force = z.enum(['true', 'false'], 'must be true or false')
const ImportQuery = z.object({ force: Force.optional().describe('Replace existing libraries') })
const ImportBody = z.object({
  libraries: z.array(BundleElement),
  force: z.boolean().optional().describe('Replace existing libraries'),
})
const ImportForm = z.object({
  [fileField]: z.string().meta({ format: 'binary' }).describe('The zip, at most 100 MB'),
  force: Force.optional().describe('Replace existing libraries'),
})
const ImportedAnswer = z
  .object({
    message: z.string(),
    queued: z.array(z.string()).describe('Ids of the libraries and versions that are queued, one job each'),
    skipped: z.array(z.object({ project: z.string(), reason: z.string() })),
    removed: z
      .array(z.string())
      .optional()
      .describe(
        'With force: versions that the bundle does not hold. They are removed when their library is imported. Absent if a skipped part of the bundle has no readable id, since it may be one of them',
      ),
  })
  .meta({ id: 'LibrariesImported' })

/** Around the file: the other field, and what separates the parts. */
const formBytes = 1024 * 1024

const isForm = (c: Context) => /^multipart\/form-data\s*(;|$)/i.test(typeOf(c))
const typeOf = (c: Context) => c.req.header('content-type') ?? ''
/** curl calls a body so that it was told nothing of. */
const isJson = (c: Context) => /^(application\/([\w.-]+\+)?json|application\/x-www-form-urlencoded|)\s*(;|$)/i.test(typeOf(c))
const limitOf = (c: Context) => (isForm(c) ? bundleLimits.zipBytes + formBytes : bundleLimits.unpackedBytes)

/** The kind of the license and its age come before the body, and its length before what it says. */
const licensed = (app: App) =>
  createMiddleware<CallerEnv & { Variables: { body: BodyChunks } }>(async (c, next) => {
    requireLicense(app, 'offline')
    const limit = limitOf(c)
    const body = bodyChunks(c.req.raw.body, limit)
    c.set('body', body)
    const drain = () => body.drain().catch(() => undefined)
    const sizeBytes = Number(c.req.header('content-length') ?? 0)
    if (sizeBytes > limit) {
      await drain()
      throw bodyTooLarge(limit, sizeBytes)
    }
    await next()
    if (c.error) await drain()
  })

export const importRoutes = (app: App) =>
  new Hono<CallerEnv>().post(
    '/import-libraries',
    requireRight(app, 'member'),
    licensed(app),
    input('query', ImportQuery),
    async (c) => {
      const { chunks } = c.get('body')
      const asked = { force: c.req.valid('query').force === 'true', actor: actorOf(c.get('caller')) }
      if (isForm(c)) return c.json(await importZip(app, chunks, typeOf(c), asked), 202)
      if (!isJson(c))
        throw new AppError(
          'validation_error',
          `Send JSON as application/json, or the zip as the file "${fileField}" of multipart/form-data.`,
        )
      if (app.settings.get('import.requireSignature')) throw unsigned('A JSON body cannot be signed; import the zip.')
      return c.json(await importJson(app, chunks, asked), 202)
    },
  )

export const importOperations: Operations = {
  '/import-libraries': {
    post: {
      operationId: 'importLibraries',
      tags: ['Import'],
      summary: 'Import a bundle',
      description:
        'Accepts the response of the export endpoint, or a zip of the hosted service. Queues one job per library or version; existing ones are skipped unless force is true. Requires an offline license.',
      security: keyNeeded,
      requestParams: { query: ImportQuery },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ImportBody }, 'multipart/form-data': { schema: ImportForm } },
      },
      responses: { 202: json(ImportedAnswer, 'Imports queued'), ...errors(400, 401, 403, 413) },
    },
  },
}
