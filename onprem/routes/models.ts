import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { measuredText } from '../../shared/ai/local/catalogue.ts'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { bodyChunks } from '../../shared/http/body-chunks.ts'
import { compressedBody, isCompressed, readBody } from '../../shared/http/read-body.ts'
import { bodyTooLarge } from '../../shared/http/timed-chunks.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { actorOf, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { publicHub } from '../models/fetch-model-file.ts'
import type { ModelStore } from '../models/model-store.ts'
import { modelZipLimits } from '../models/receive-model.ts'

const NameInPath = z.object({ name: z.string().describe('As the list returns it, or a new name for a model in a zip') })
const AddQuery = z.object({
  confirm: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
    .optional()
    .describe('For a zip whose files the catalogue does not know: the hash that the error names'),
})
const Measured = z.object({
  questions: z.int(),
  inFirst5: z.number().describe('Share of the questions whose answer is in the first five snippets'),
  in2kTokens: z.number().describe('Share of the questions whose answer is in the first 2,000 tokens'),
  mrr: z.number().describe('Mean reciprocal rank'),
})
const ListedModel = z.object({
  name: z.string(),
  title: z.string(),
  license: z.string().nullable().describe('Null if the catalogue does not have the model'),
  languages: z.array(z.string()).describe('ISO 639-1 codes; empty if unknown'),
  bytes: z.int(),
  use: z.enum(['embedding', 'reranking']),
  state: z.enum(['available', 'downloading', 'installed', 'active', 'damaged']),
  progress: z.object({ doneBytes: z.int(), totalBytes: z.int() }).optional().describe('While it is downloading'),
  cpuSecondsPerThousand: z
    .number()
    .optional()
    .describe('Processor time for 1,000 snippets on one core of an old server; absent if nobody has measured it'),
  measured: Measured.optional().describe('With this model'),
  error: z.string().optional().describe('Why the last download failed, or why the model cannot be used'),
})
const ListAnswer = z.object({
  models: z.array(ListedModel).describe('Those of the catalogue, then others in DATA_DIR/models'),
  measuredText: Measured.describe('The same questions without a model'),
  mirror: z.string().optional().describe('The setting models.hub, if it is not the public hub'),
})
const Message = z.object({ message: z.string() })

const maxJsonBytes = 1024

type ModelRoutesPorts = RightPorts & { modelStore: ModelStore; settings: Pick<SettingsStore, 'get'> }

export const modelRoutes = (ports: ModelRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/models',
      describeRoute({
        operationId: 'listModels',
        tags: ['Settings'],
        summary: 'List local models',
        description: 'Lists the models of the catalogue and those in DATA_DIR/models, with their state.',
        responses: { 200: json(ListAnswer, 'Models') },
      }),
      requireRight(ports, 'admin'),
      async (c) => c.json(await listModels(ports)),
    )
    .post(
      '/models/:name',
      describeRoute({
        operationId: 'addModel',
        tags: ['Settings'],
        summary: 'Add a local model',
        description:
          'With {} as JSON, begins to download a model of the catalogue from the address in models.hub, or continues; the list shows the progress. With a zip as the body (application/zip), installs the model in it: ONNX and JSON files in the layout of the documentation. Each file of the catalogue is checked by its SHA-256; other models need confirm.',
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: z.strictObject({}) },
            'application/zip': { schema: z.string().meta({ format: 'binary' }) },
          },
        },
        errors: [404, 409, 413],
        responses: { 201: json(Message, 'The zip is installed'), 202: json(Message, 'The download has begun') },
      }),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      input('query', AddQuery),
      async (c) => {
        const { name } = c.req.valid('param')
        const actor = actorOf(c.get('caller'))
        if (isCompressed(c.req.raw)) throw new AppError('validation_error', compressedBody)
        if (isZip(c)) {
          await receiveZip(c, (chunks) => ports.modelStore.receive(name, chunks, c.req.valid('query').confirm, actor))
          return c.json({ message: `The model ${name} is installed.` }, 201)
        }
        await requireEmptyObject(c)
        await ports.modelStore.fetch(name, actor)
        return c.json({ message: `The model ${name} is being added.` }, 202)
      },
    )
    .delete(
      '/models/:name',
      describeRoute({
        operationId: 'deleteModel',
        tags: ['Settings'],
        summary: 'Delete a local model, or cancel its download',
        description: 'Deletes a model from DATA_DIR/models. Fails while a setting names it.',
        errors: [404, 409],
        responses: { 200: json(Message, 'It is gone') },
      }),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      async (c) => {
        const { name } = c.req.valid('param')
        await ports.modelStore.remove(name, actorOf(c.get('caller')))
        return c.json({ message: `The model ${name} was deleted.` })
      },
    )

async function listModels({ modelStore, settings }: ModelRoutesPorts) {
  const hub = settings.get('models.hub')
  return { models: await modelStore.list(), measuredText, ...(hub !== publicHub && { mirror: hub }) }
}

const contentType = (c: Context): string => c.req.header('content-type') ?? ''
const isZip = (c: Context): boolean => /^application\/(zip|x-zip-compressed|octet-stream)\s*(;|$)/i.test(contentType(c))

/** Reads the whole body before an error is sent, since clients read the response only after they sent everything. */
async function receiveZip(c: Context, receive: (chunks: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void> {
  const limit = modelZipLimits.zipBytes
  const body = bodyChunks(c.req.raw.body, limit)
  try {
    const sizeBytes = Number(c.req.header('content-length') ?? 0)
    if (sizeBytes > limit) throw bodyTooLarge(limit, sizeBytes)
    await receive(body.chunks)
  } catch (error) {
    await body.drain().catch(() => undefined)
    throw error
  }
}

async function requireEmptyObject(c: Context): Promise<void> {
  const text = (await readBody(c.req.raw, maxJsonBytes)).toString().trim()
  if (!/^application\/json\s*(;|$)/i.test(contentType(c)) || !/^\{\s*\}$/.test(text))
    throw new AppError('validation_error', 'Send {} as application/json to download the model, or a zip as application/zip.')
}
