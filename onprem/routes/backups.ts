import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { actorOf, type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { backupName } from '../backup/backup-name.ts'
import type { Backups } from '../backup/backups.ts'

type BackupRoutesPorts = RightPorts & { backups: Backups; audit: Pick<AuditLog, 'record'>; stopping: AbortSignal }

const DownloadQuery = z.object({
  keys: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Include key files; only for the command line on the machine of the server'),
})
const DownloadHeaders = z.object({
  'Content-Disposition': z.string(),
  'X-Carrel-Backup-Bytes': z.string().describe('Bytes of the files in it, before compression'),
})

export const backupRoutes = (ports: BackupRoutesPorts) =>
  new Hono<CallerEnv>().get(
    '/backup',
    describeRoute({
      operationId: 'downloadNewBackup',
      tags: ['Backups'],
      summary: 'Back up and download',
      description:
        'Returns a new backup of the install, compressed with Zstandard, while the server continues. It contains no key files and no salts. An archive that ends early is rejected when it is restored.',
      errors: [403, 409],
      responses: {
        200: {
          description: 'The archive',
          headers: DownloadHeaders,
          content: { 'application/zstd': { schema: z.string().meta({ format: 'binary' }) } },
        },
      },
    }),
    requireRight(ports, 'admin'),
    input('query', DownloadQuery),
    async (c) => {
      const withKeys = c.req.valid('query').keys === 'true'
      const caller = c.get('caller')
      if (withKeys && caller.holder?.via !== 'command') throw keysAreLocal()
      const signal = AbortSignal.any([c.req.raw.signal, ports.stopping])
      const { header, bytes } = await ports.backups.open(withKeys, signal)
      const name = backupName(new Date(header.createdAt))
      ports.audit.record({ actor: actorOf(caller), action: 'backup.download', subject: withKeys ? `${name}, with keys` : name })
      return c.body(Readable.toWeb(bytes) as ReadableStream, 200, {
        'content-type': 'application/zstd',
        'content-disposition': `attachment; filename="${name}"`,
        'x-carrel-backup-bytes': String(header.sizeBytes),
        'cache-control': 'no-store',
      })
    },
  )

const keysAreLocal = () =>
  new AppError('forbidden', 'A backup with keys can only be made on the machine of the server: carrel backup FILE --with-keys')
