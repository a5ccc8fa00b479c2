import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { AppError } from '../../shared/errors.ts'
import { type BodyChunks, bodyChunks } from '../../shared/http/body-chunks.ts'
import { compressedBody, isCompressed } from '../../shared/http/read-body.ts'
import { bodyTooLarge } from '../../shared/http/timed-chunks.ts'
import { shortText } from '../../shared/schemas/short-text.ts'
import { filesBytes, openapiBytes } from '../../shared/sources/uploads/upload-limits.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { addFiles, addOpenapiUpload, type UploadPorts } from '../actions/add-upload.ts'
import { type DiskGuard, requireSpace } from '../store/data-dir/disk-guard.ts'
import { QueuedAnswer } from './parse.ts'

const binary = () => z.string().meta({ format: 'binary' })
const about = {
  projectTitle: shortText(200).optional().describe('Title of the library'),
  description: shortText(1_000).optional(),
  force: z.enum(['true', 'false']).optional().describe('Index even if the files have not changed, and accept a loss of content'),
}
const OpenapiForm = z.object({
  openapiFile: binary().describe(
    'OpenAPI, Swagger or AsyncAPI as .json, .yaml or .yml, or a GraphQL schema as .graphql; at most 4 MB',
  ),
  ...about,
})
const FilesForm = z.object({
  files: z.array(binary()).describe('Files with their paths as names, such as guide/start.md, or zips, which are unpacked'),
  name: shortText(200)
    .optional()
    .describe('Name of the library in its id; by default that of the only file, or of the folder that all files are in'),
  ...about,
})

/** Room for the other fields of the form and the boundaries of its parts. */
const maxFormBytes = 2 ** 20

/** Checks the form, the disk and the announced length before the body is read. */
const form = (ports: { disk: DiskGuard }, limitBytes: number) =>
  createMiddleware<CallerEnv & { Variables: { body: BodyChunks } }>(async (c, next) => {
    const limit = limitBytes + maxFormBytes
    const body = bodyChunks(c.req.raw.body, limit)
    c.set('body', body)
    const drain = () => body.drain().catch(() => undefined)
    try {
      if (!/^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? ''))
        throw new AppError('validation_error', 'Send the files as multipart/form-data.')
      if (isCompressed(c.req.raw)) throw new AppError('validation_error', compressedBody)
      requireSpace(ports.disk)
      const sizeBytes = Number(c.req.header('content-length') ?? 0)
      if (sizeBytes > limit) throw bodyTooLarge(limit, sizeBytes)
    } catch (error) {
      await drain()
      throw error
    }
    await next()
    if (c.error) await drain()
  })

export const uploadRoutes = (ports: UploadPorts & { disk: DiskGuard }) =>
  new Hono<CallerEnv>()
    .post(
      '/parse-openapi-upload',
      describeRoute({
        operationId: 'parseOpenApiUpload',
        tags: ['Parse'],
        summary: 'Add a library from an uploaded API description',
        description:
          'Stores the file and queues a job that indexes it. Its id is /openapi/<name>, from the title if there is one, else from the name of the file. Uploading it again updates the library, which cannot be refreshed.',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: OpenapiForm } } },
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409, 413, 507],
      }),
      requireRight(ports, 'parse'),
      form(ports, openapiBytes),
      async (c) => {
        const body = { chunks: c.get('body').chunks, contentType: c.req.header('content-type') ?? '' }
        return c.json(await addOpenapiUpload(ports, c.get('caller'), body), 202)
      },
    )
    .post(
      '/parse-files',
      describeRoute({
        operationId: 'parseFiles',
        tags: ['Parse'],
        summary: 'Add a library from uploaded files',
        description:
          'Stores the files and queues a job that indexes those that are documentation: the formats that are read in a repository, PDF and Word (.docx). Its id is /files/<name>. Uploading files under the same name again replaces all of them; a refresh reads the stored files again.',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: FilesForm } } },
        responses: { 202: json(QueuedAnswer, 'Parse queued') },
        errors: [403, 409, 413, 507],
      }),
      requireRight(ports, 'parse'),
      form(ports, filesBytes),
      async (c) => {
        const body = { chunks: c.get('body').chunks, contentType: c.req.header('content-type') ?? '' }
        return c.json(await addFiles(ports, c.get('caller'), body), 202)
      },
    )
