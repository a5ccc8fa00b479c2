import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { Log } from '../../shared/log.ts'
import { type CallerEnv, requireRight } from '../access/caller.ts'
import { type StillAllowedPorts, stillAllowed } from '../access/identify.ts'
import {
  type ExportLibrariesPorts,
  ExportRequest,
  exportKey,
  exportLibraries,
  renewExportKey,
} from '../export/export-libraries.ts'
import { downloadBody } from './download-body.ts'

const maxBodyBytes = 1024 * 1024
const fileName = 'carrel-libraries.zip'

const KeyAnswer = z.object({
  publicKey: z.string().describe('An Ed25519 public key in PEM, for bundle.trustedKeys of other installs'),
})

export const exportRoutes = (ports: StillAllowedPorts & ExportLibrariesPorts & { log: Log; stopping: AbortSignal }) =>
  new Hono<CallerEnv>()
    .post(
      '/export',
      describeRoute({
        operationId: 'exportLibraries',
        tags: ['Import'],
        summary: 'Export libraries for another install',
        description:
          'Streams a zip that importLibraries of another install accepts, without embeddings. It is signed with the key of this install; private libraries are marked. A zip that ends early is rejected when it is imported. An import accepts zips of up to 100 MB.',
        responses: {
          200: {
            description: 'The zip',
            headers: z.object({ 'Content-Disposition': z.string() }),
            content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
          },
        },
        errors: [404, 422],
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', ExportRequest),
      async (c) => {
        const signal = AbortSignal.any([c.req.raw.signal, ports.stopping])
        const bytes = await exportLibraries(ports, c.get('caller'), c.req.valid('json'), signal)
        const failed = (error: unknown) => {
          if (!signal.aborted) requestLog(c, ports.log).error({ error }, 'an export failed')
        }
        return c.body(downloadBody(c, bytes, { failed, isAllowed: () => stillAllowed(ports, c, 'admin') }), 200, {
          'content-type': 'application/zip',
          'content-disposition': `attachment; filename="${fileName}"`,
          'cache-control': 'no-store',
        })
      },
    )
    .get(
      '/export/key',
      describeRoute({
        operationId: 'getExportKey',
        tags: ['Import'],
        summary: 'Get the public key of exports',
        description: 'Returns the public key that other installs trust. It is made with the first use.',
        responses: { 200: json(KeyAnswer, 'The key') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(exportKey(ports)),
    )
    .post(
      '/export/key',
      describeRoute({
        operationId: 'renewExportKey',
        tags: ['Import'],
        summary: 'Make a new key for exports',
        description: 'Replaces the key. Other installs have to trust the new one before they accept new exports as signed.',
        responses: { 200: json(KeyAnswer, 'The new key') },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json(renewExportKey(ports, c.get('caller'))),
    )
