import { createReadStream } from 'node:fs'
import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { AppError } from '../../shared/errors.ts'
import { requestLog } from '../../shared/http/log-requests.ts'
import type { Log } from '../../shared/log.ts'
import type { PublicUrl } from '../../shared/schemas/public-url.ts'
import { actorOf, type CallerEnv, requireRight } from '../access/caller.ts'
import { type StillAllowedPorts, stillAllowed } from '../access/identify.ts'
import { rejectForeignSite } from '../access/reject-foreign-page.ts'
import type { AuditLog } from '../accounts/audit-log.ts'
import { backupName } from '../backup/backup-folder.ts'
import type { BackupStore } from '../backup/backup-store.ts'
import type { Backups } from '../backup/backups.ts'
import { downloadBody } from './download-body.ts'

type BackupRoutesPorts = StillAllowedPorts & {
  backups: Backups
  backupStore: BackupStore
  audit: Pick<AuditLog, 'record'>
  log: Log
  now(): Date
  stopping: AbortSignal
  publicUrl: PublicUrl | undefined
}

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

const NameInPath = z.object({ name: z.string().describe('As the list returns it') })
const StartedAnswer = z.object({ message: z.string(), name: z.string() })
const ListAnswer = z.object({
  folder: z.string(),
  backups: z.array(z.object({ name: z.string(), createdAt: z.string(), sizeBytes: z.int() })).describe('Newest first'),
  running: z.object({ name: z.string(), startedAt: z.string() }).nullable(),
  failed: z.object({ at: z.string(), message: z.string() }).nullable().describe('The newest failure, until a backup succeeds'),
  next: z.string().nullable().describe('When the schedule makes the next one'),
})
const archive = (description: string, headers: z.ZodObject) => ({
  description,
  headers,
  content: { 'application/zstd': { schema: z.string().meta({ format: 'binary' }) } },
})
const archiveHeaders = (name: string) => ({
  'content-type': 'application/zstd',
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
})

export const backupRoutes = (ports: BackupRoutesPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/backup',
      describeRoute({
        operationId: 'downloadNewBackup',
        tags: ['Backups'],
        summary: 'Back up and download',
        description:
          'Returns a new backup of the install, compressed with Zstandard, while the server continues. It contains no key files and no salts. An archive that ends early is rejected when it is restored.',
        errors: [409],
        responses: {
          200: archive('The archive', DownloadHeaders),
        },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      input('query', DownloadQuery),
      async (c) => {
        const withKeys = c.req.valid('query').keys === 'true'
        const caller = c.get('caller')
        if (withKeys && caller.holder?.via !== 'command') throw keysAreLocal()
        if (c.req.method === 'HEAD') return c.body(null, 200, archiveHeaders(backupName(ports.now())))
        const signal = AbortSignal.any([c.req.raw.signal, ports.stopping])
        const { header, bytes } = await ports.backups.open(withKeys, signal)
        const name = backupName(new Date(header.createdAt))
        try {
          const subject = withKeys ? `${name}, with keys` : name
          ports.audit.record({ actor: actorOf(caller), action: 'backup.download', subject })
        } catch (error) {
          bytes.destroy()
          throw error
        }
        const failed = (error: unknown) => {
          if (!signal.aborted) requestLog(c, ports.log).error({ error }, 'a backup failed')
        }
        return c.body(downloadBody(c, bytes, { failed, isAllowed: () => stillAllowed(ports, c, 'admin') }), 200, {
          ...archiveHeaders(name),
          'x-carrel-backup-bytes': String(header.sizeBytes),
        })
      },
    )
    .post(
      '/backup',
      describeRoute({
        operationId: 'startBackup',
        tags: ['Backups'],
        summary: 'Back up into the folder of the settings',
        description: 'Begins a backup in the background and returns its name. It contains no key files and no salts.',
        errors: [409],
        responses: { 202: json(StartedAnswer, 'The backup has begun') },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      async (c) =>
        c.json({ message: 'The backup has begun.', name: await ports.backupStore.start(actorOf(c.get('caller'))) }, 202),
    )
    .get(
      '/backups',
      describeRoute({
        operationId: 'listBackups',
        tags: ['Backups'],
        summary: 'List backups',
        description: 'Lists the complete backups in the folder of the settings, the running one, and when the next one is due.',
        errors: [409],
        responses: { 200: json(ListAnswer, 'Backups') },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      async (c) => c.json(await ports.backupStore.list()),
    )
    .get(
      '/backups/:name',
      describeRoute({
        operationId: 'downloadBackup',
        tags: ['Backups'],
        summary: 'Download a backup',
        description:
          'Returns a stored backup. One with key files is only returned to the command line on the machine of the server.',
        errors: [404, 409],
        responses: { 200: archive('The archive', z.object({ 'Content-Disposition': z.string() })) },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      async (c) => {
        const { name } = c.req.valid('param')
        const { path, sizeBytes, withKeys } = await ports.backupStore.find(name)
        const caller = c.get('caller')
        if (withKeys && caller.holder?.via !== 'command') throw keysAreLocal()
        ports.audit.record({ actor: actorOf(caller), action: 'backup.download', subject: name })
        const failed = (error: unknown) => requestLog(c, ports.log).error({ error }, 'a stored backup cannot be read')
        return c.body(
          downloadBody(c, createReadStream(path), { failed, isAllowed: () => stillAllowed(ports, c, 'admin') }),
          200,
          {
            ...archiveHeaders(name),
            'content-length': String(sizeBytes),
          },
        )
      },
    )
    .delete(
      '/backups/:name',
      describeRoute({
        operationId: 'deleteBackup',
        tags: ['Backups'],
        summary: 'Delete a backup, or cancel the running one',
        description: 'Deletes a stored backup. If it is still being made, cancels it.',
        errors: [404, 409],
        responses: { 200: json(z.object({ message: z.string() }), 'It is gone') },
      }),
      rejectForeignSite(ports),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      async (c) => {
        const { name } = c.req.valid('param')
        await ports.backupStore.remove(name, actorOf(c.get('caller')))
        return c.json({ message: `The backup ${name} was deleted.` })
      },
    )

const keysAreLocal = () =>
  new AppError('forbidden', 'A backup with keys can only be made on the machine of the server: carrel backup FILE --with-keys')
