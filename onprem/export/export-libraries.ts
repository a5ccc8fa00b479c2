import { addAbortSignal, PassThrough, type Readable } from 'node:stream'
import { z } from 'zod'
import type { BundleHead } from '../../shared/bundle/bundle-element.ts'
import { bundleZip } from '../../shared/bundle/bundle-zip.ts'
import { AppError } from '../../shared/errors.ts'
import { LibraryIdParam } from '../../shared/schemas/library-id-param.ts'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Atomically, AuditLog } from '../accounts/audit-log.ts'
import type { InstallCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { SigningKey } from '../store/signing-key.ts'
import { type PlanPorts, planExport } from './plan-export.ts'

/** More ids would not fit into a request that a person reads; each may have many versions. */
const maxLibraries = 1_000

export const ExportRequest = z.strictObject({
  libraries: z
    .array(LibraryIdParam)
    .min(1, 'must name at least one library')
    .max(maxLibraries, `must not be more than ${maxLibraries}`)
    .describe('Libraries as /owner/repo, which means all versions, or /owner/repo@version'),
})
export type ExportRequest = z.infer<typeof ExportRequest>

export type ExportLibrariesPorts = PlanPorts & {
  catalog: Pick<InstallCatalog, 'hold'>
  signingKey: SigningKey
  audit: Pick<AuditLog, 'record' | 'recordAll'>
  atomically: Atomically
  now(): Date
}

/**
 * A signed zip of libraries of this install, as an import accepts it. Private libraries are marked. The content stays on disk until the stream
 * ends, which the caller reads or destroys. Throws what `planExport` throws, and data_damaged.
 */
export async function exportLibraries(
  ports: ExportLibrariesPorts,
  caller: Caller,
  { libraries }: ExportRequest,
  signal: AbortSignal,
): Promise<Readable> {
  const { privatePem } = ports.signingKey.pair()
  const { elements, generations } = await planExport(ports, libraries)
  ports.audit.recordAll(
    { actor: actorOf(caller), action: 'library.export' },
    elements.map(({ source }) => source.head.project),
  )
  const bytes = new PassThrough()
  addAbortSignal(signal, bytes)
  const closed = new Promise<void>((resolve) => bytes.once('close', resolve))
  for (const generation of generations) ports.catalog.hold(generation, closed)
  const onError = (error: Error) => void bytes.destroy(error)
  const zip = await bundleZip(elements, { created: ports.now(), signingPem: privatePem, unreadable, onError })
  bytes.once('close', zip.close)
  zip.stream.pipe(bytes)
  return bytes
}

/** The public key that other installs trust. The first use makes the pair. */
export const exportKey = ({ signingKey }: Pick<ExportLibrariesPorts, 'signingKey'>): { publicKey: string } => ({
  publicKey: signingKey.publicPem(),
})

export const renewExportKey = ({ signingKey, audit, atomically }: ExportLibrariesPorts, caller: Caller): { publicKey: string } =>
  atomically(() => {
    audit.record({ actor: actorOf(caller), action: 'export.key', subject: 'exports' })
    return { publicKey: signingKey.renew().publicPem }
  })

const unreadable = ({ project }: BundleHead, cause: unknown) =>
  new AppError('search_failed', `The content of ${project} cannot be read. Refresh the library, then export it again.`, { cause })
