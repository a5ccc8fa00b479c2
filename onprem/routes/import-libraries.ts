import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { BundleElement, bundleLimits } from '../../shared/bundle/bundle-element.ts'
import { AppError } from '../../shared/errors.ts'
import { type BodyChunks, bodyChunks } from '../../shared/http/body-chunks.ts'
import { compressedBody, isCompressed } from '../../shared/http/read-body.ts'
import { bodyTooLarge } from '../../shared/http/timed-chunks.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { type LicensePorts, requireLicense } from '../access/resolve-license.ts'
import { importJson } from '../import/import-json.ts'
import { type ImportZipPorts, importZip, unsigned } from '../import/import-zip.ts'
import { fileField } from '../import/receive-form.ts'
import { type DiskGuard, requireSpace } from '../store/data-dir/disk-guard.ts'

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

/** Room for the other field of the form and the boundaries of its parts. */
const maxFormBytes = 1024 * 1024

const contentType = (c: Context) => c.req.header('content-type') ?? ''
const isForm = (c: Context) => /^multipart\/form-data\s*(;|$)/i.test(contentType(c))
/** curl labels a body as a form unless it is given a content type. */
const isJson = (c: Context) =>
  /^(application\/([\w.-]+\+)?json|application\/x-www-form-urlencoded|)\s*(;|$)/i.test(contentType(c))
const maxBytes = (c: Context) => (isForm(c) ? bundleLimits.zipBytes + maxFormBytes : bundleLimits.unpackedBytes)

/** Checks the license, the disk and the announced length before the body is read. */
const readChunks = (ports: LicensePorts & { disk: DiskGuard }) =>
  createMiddleware<CallerEnv & { Variables: { body: BodyChunks } }>(async (c, next) => {
    requireLicense(ports, 'offline')
    requireSpace(ports.disk)
    const limit = maxBytes(c)
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

type ImportRoutesPorts = RightPorts & LicensePorts & ImportZipPorts & { disk: DiskGuard }

export const importRoutes = (ports: ImportRoutesPorts) =>
  new Hono<CallerEnv>().post(
    '/import-libraries',
    describeRoute({
      operationId: 'importLibraries',
      tags: ['Import'],
      summary: 'Import a bundle',
      description:
        'Accepts the response of the export endpoint, or a zip of the hosted service. Queues one job per library or version; existing ones are skipped unless force is true. Requires an offline license.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: ImportBody }, 'multipart/form-data': { schema: ImportForm } },
      },
      responses: { 202: json(ImportedAnswer, 'Imports queued') },
      errors: [413],
    }),
    requireRight(ports, 'change'),
    readChunks(ports),
    input('query', ImportQuery),
    async (c) => {
      const { chunks } = c.get('body')
      if (isCompressed(c.req.raw)) throw new AppError('validation_error', compressedBody)
      const options = { force: c.req.valid('query').force === 'true', caller: c.get('caller') }
      if (isForm(c)) return c.json(await importZip(ports, chunks, contentType(c), options), 202)
      if (!isJson(c))
        throw new AppError(
          'validation_error',
          `Send JSON as application/json, or the zip as the file "${fileField}" of multipart/form-data.`,
        )
      if (ports.settings.get('import.requireSignature')) throw unsigned('A JSON body cannot be signed; import the zip.')
      return c.json(await importJson(ports, chunks, options), 202)
    },
  )
